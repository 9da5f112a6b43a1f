; unary addition: 111+11 becomes 11111
start right
right 1 1 R right
right + 1 R end
end   1 1 R end
end   _ _ L last
last  1 _ S done
