// The next ticks of a timetable.
import type { Timetable } from './timetable.ts'

export function nextTicks(timetable: Timetable, after: Date, count: number): Date[] {
  const ticks: Date[] = []
  for (let tick = timetable.next(after); tick && ticks.length < count; tick = timetable.next(tick)) ticks.push(tick)
  return ticks
}
