; never halts: walks to and fro between ends that it pushes outwards
right _ 1 L left
right 1 1 R right
left  _ 1 R right
left  1 1 L left
