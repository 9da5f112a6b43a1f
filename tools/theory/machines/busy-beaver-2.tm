; 6 steps, four 1s (Rado, 1962)
blank 0
A 0 1 R B
A 1 1 L B
B 0 1 L A
B 1 1 R H
