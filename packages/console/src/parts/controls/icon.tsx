// The icons: 16 by 16, drawn with lines in the colour of the text. They never carry a meaning of their own.
const paths = {
  runs: 'M2.5 4h7M2.5 8h11M2.5 12h5',
  inbox: 'M2.5 9.5 4.5 3h7l2 6.5V13h-11zM2.5 9.5H6l1 1.5h2l1-1.5h3.5',
  create: 'M8 3v10M3 8h10',
  schedules: 'M8 2.500a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM8 5v3l2 1.500',
  usage: 'M3 13V8M8 13V3M13 13v-7',
  budgets: 'M2.5 11a5.5 5.5 0 0 1 11 0M8 11l2.500-3',
  audit: 'M4 2.500h8v11H4zM6.500 5.500h3M6.500 8h3M6.500 10.500h1.500',
  memory: 'M8 4.5C6.5 3.3 4.5 3 2.5 3v9c2 0 4 .3 5.5 1.5 1.5-1.2 3.5-1.5 5.5-1.500V3c-2 0-4 .3-5.5 1.500zM8 4.500v9',
  keys: 'M8.5 7.5 13.5 2.500M11.5 4.500l1.5 1.500M9 10a3.25 3.25 0 1 1-6.5 0A3.25 3.25 0 0 1 9 10z',
  webhooks: 'M2.5 8h7M7 4.500 10.5 8 7 11.500M13.5 3v10',
  agents: 'M4 6h8v6H4zM8 3.500V6M2.5 8v2M13.5 8v2M6.5 8.500v1M9.5 8.500v1',
  system: 'M2.5 3.500h11v4h-11zM2.5 8.500h11v4h-11zM5 5.500h.01M5 10.500h.01',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.500v-3h8v8h-3M2.5 5.500h8v8h-8z',
  done: 'm3 8.5 3.5 3.500L13 4.5',
  light:
    'M8 5.500a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM8 1.500v1.500M8 13v1.500M1.5 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1',
  dark: 'M13 9.500A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.500z',
  'system-theme': 'M2.5 3h11v7.500h-11zM6 13.500h4',
  compact: 'M2.5 3h11M2.500 6.300h11M2.500 9.600h11M2.500 13h11',
  down: 'm4 6 4 4 4-4',
  right: 'm6 4 4 4-4 4',
  warning: 'M8 2.5 14 13H2zM8 6.500v3M8 11.200v.01',
  tool: 'M9.5 6.5 3 13M10 2.500a3.5 3.5 0 0 0-.5 4 3.5 3.5 0 0 0 4-.5',
  person: 'M8 7.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.500c0-2.5 2-4 5-4s5 1.5 5 4',
  decision: 'M8 2.5 13.5 8 8 13.5 2.5 8z',
  again: 'M13 8a5 5 0 1 1-1.5-3.500M13 2.500v3h-3',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, className = '' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`size-4 shrink-0 ${className}`}
    >
      <path d={paths[name]} />
    </svg>
  )
}
