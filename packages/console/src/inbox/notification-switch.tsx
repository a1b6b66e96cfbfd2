// Turns desktop notifications on and off, and says why if that is not possible.
import { Button } from '../parts/controls/button.tsx'
import { useNotificationChoice } from './notifications.ts'

export function NotificationSwitch() {
  const { state, turnOn, turnOff } = useNotificationChoice()
  if (state === 'not offered') return null
  if (state === 'blocked') return <p className="text-sm text-muted">The browser blocks notifications of this page.</p>
  return state === 'on' ? (
    <Button onClick={turnOff}>Stop notifications</Button>
  ) : (
    <Button onClick={() => void turnOn()}>Notify me on this computer</Button>
  )
}
