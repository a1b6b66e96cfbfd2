// The Runwright logo.
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7 shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path d="M6 16h5m10 0h5" strokeWidth="2.5" strokeLinecap="round" className="stroke-on-accent" />
      <circle cx="16" cy="16" r="4.5" fill="none" strokeWidth="2.5" className="stroke-on-accent" />
    </svg>
  )
}
