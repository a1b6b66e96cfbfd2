// Says once that the service cannot be reached, and once that it can be again.
export function reachNotice(say: (text: string) => void): (isReached: boolean) => void {
  let wasReached = true
  return (isReached) => {
    if (isReached === wasReached) return
    wasReached = isReached
    say(isReached ? 'Connected again.' : 'The service does not respond. Reconnecting…')
  }
}
