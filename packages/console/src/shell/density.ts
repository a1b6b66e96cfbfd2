// How much room lines and controls have. The style sheet knows the attribute.
import { KeptChoice } from '../parts/kept-choice.ts'

export const density = new KeptChoice('runwright.density', ['comfortable', 'compact'])

const show = () => {
  if (density.get() === 'compact') document.documentElement.dataset.density = 'compact'
  else delete document.documentElement.dataset.density
}

/** From now on, the page has the chosen density. */
export const showDensity = (): void => {
  density.subscribe(show)
  show()
}

export const switchDensity = (): void => density.choose(density.get() === 'compact' ? 'comfortable' : 'compact')
