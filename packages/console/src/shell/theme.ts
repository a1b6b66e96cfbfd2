// Light, dark, or as the system has it.
import { KeptChoice } from '../parts/kept-choice.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const theme = new KeptChoice<Theme>('runwright.theme', themes)

/** The style sheet follows the system unless this attribute says otherwise. */
const show = () => {
  if (theme.get() === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.get()
}

/** From now on, the page has the chosen theme. */
export const showTheme = (): void => {
  theme.subscribe(show)
  show()
}
