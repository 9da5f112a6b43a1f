; 21 steps, five 1s: the most steps of 3 states (Lin and Rado, 1965)
blank 0
A 0 1 R B
A 1 1 R H
B 0 1 L B
B 1 0 R C
C 0 1 L C
C 1 1 L A
