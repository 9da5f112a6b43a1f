; copies a word over a and b behind a # : ab becomes ab#ab
start mark
mark a a R mark
mark b b R mark
mark _ # L home
home a a L home
home b b L home
home _ _ R take
home A A R take
home B B R take
take a A R right-a
take b B R right-b
take # # L restore
right-a a a R right-a
right-a b b R right-a
right-a # # R right-a
right-a _ a L left
right-b a a R right-b
right-b b b R right-b
right-b # # R right-b
right-b _ b L left
left a a L left
left b b L left
left # # L left
left A A R take
left B B R take
restore A a L restore
restore B b L restore
