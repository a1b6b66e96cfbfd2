// Says that a live list is not current.
export function Reconnecting() {
  return (
    <p role="status" className="rounded-md border border-warn/40 bg-warn/10 px-3 py-2 text-sm">
      Reconnecting… The list is shown as it was when the connection was lost.
    </p>
  )
}
