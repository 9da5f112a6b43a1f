; leaves Y where the word over a and b is a palindrome, N where it is not
start first
first a _ R right-a
first b _ R right-b
first _ Y S done
right-a a a R right-a
right-a b b R right-a
right-a _ _ L last-a
right-b a a R right-b
right-b b b R right-b
right-b _ _ L last-b
last-a a _ L back
last-a b _ L clear
last-a _ Y S done
last-b b _ L back
last-b a _ L clear
last-b _ Y S done
back a a L back
back b b L back
back _ _ R first
clear a _ L clear
clear b _ L clear
clear _ N S done
