// Loaded into a process of the service before its own code: its wall clock is off by as many milliseconds as a file
// says, and steps when the file changes. The monotonic clock goes on, as it does when the clock of a host is set.
import { readFileSync } from 'node:fs'

const file = process.env.CHAOS_CLOCK_FILE
const RealDate = Date
let offset = 0

const look = () => {
  try {
    offset = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    offset = 0
  }
}

if (file) {
  look()
  setInterval(look, 100).unref()
  globalThis.Date = class SteppedDate extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + offset)
      else super(...args)
    }

    static now() {
      return RealDate.now() + offset
    }
  }
}
