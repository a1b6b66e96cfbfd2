// Watches over a process of the service: ends it when its event loop is blocked, or when nothing could notice that.
import type { Logger } from '../../../runtime/logger.ts'
import type { Settings } from '../../../runtime/settings/settings.ts'
import { ProcessGuard } from '../../../runtime/watchdog/process-guard.ts'

/** `places` is how many runs the process executes at the same time. */
export function guardProcess({ processes, logging }: Settings, logger: Logger, places: number): ProcessGuard {
  const guard = new ProcessGuard({
    places,
    onFailure: (error) => {
      logger.fatal({ err: error }, 'the side thread failed; the process ends')
      process.exit(1)
    },
  })
  guard.watch({ seconds: processes.watchdogSeconds, logLevel: logging.level })
  return guard
}
