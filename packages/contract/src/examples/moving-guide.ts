// The text of the course `stream`: long enough to watch it arrive, and worth reading.

export const movingGuide = `# Moving the office

This guide is for a team of 24 people who move from Quay Street to Mill Lane on one weekend. It says what to decide
first, who does what, and what it costs.

## What to decide first

1. **The weekend.** Choose one without a release and outside the school holidays. The second weekend of March is free.
2. **The mover.** Ask three companies, and ask each for the price of a Saturday. Two of them need four weeks' notice.
3. **The network.** Order the line for Mill Lane now. It is the only item here that can take eight weeks.

Everything else can wait until these three are settled.

## Timetable

| when | what | who |
|---|---|---|
| 8 weeks before | order the line and the new chairs | Ada |
| 6 weeks before | choose the mover, tell the insurer | Grace |
| 4 weeks before | draw the seating plan, give notice to the cleaner | Alan |
| 2 weeks before | hand out boxes and labels | everybody |
| Friday, 15:00 | pack desks, take screens down | everybody |
| Saturday | move, set up desks and screens | mover, Ada |
| Sunday, 10:00 | test the network, every desk and both meeting rooms | Grace |
| Monday, 9:00 | breakfast in the new kitchen | everybody |

## The day itself

Label every box with a name and a desk number, on the side and not on the lid: lids are invisible once boxes are
stacked. Two people stay at Quay Street and two at Mill Lane, and each pair has a list of what leaves or arrives. What
is on one list and not on the other is looked for at once, while the lorry is still there.

Screens travel in the boxes that the mover brings. Laptops travel with their owners. The two servers travel last and in
a car, and they stay where they are until the backup of Friday evening has been read back.

## Budget

| item | price |
|---|---|
| mover, two lorries, one Saturday | €3,900 |
| line and network at Mill Lane | €1,150 |
| 24 chairs | €9,405 |
| boxes, labels, breakfast | €145 |
| **total** | **€14,600** |

The chairs are by far the largest item. If they are put off to the next year, the move costs €5,195.

## What goes wrong most often

- **The line is late.** Have a mobile router with a data plan for two weeks. It costs €60 and saves a Monday.
- **The lift is too small.** Measure the largest table, and then measure the lift, before the day.
- **Somebody is missing.** Every row of the timetable has a second person. Write the name next to the first.
- **The keys.** Hand over the old keys on Monday and not on Saturday: somebody has always left something behind.

## Afterwards

Ask everybody after a week what still does not work, and fix the three things that are named most often. Then take this
guide, correct what was wrong in it, and keep it for the next move.
`
