// What somebody does who has only a keyboard: the focus is moved with Tab, and nothing is clicked.
import { expect } from 'vitest'
import type { Visitor } from './visitor.ts'

/** From where the person is: a way that needs more is too long. */
const mostTabs = 25

/** The name of what has the focus. The content has none: it has it after a page was opened, and no ring. */
const focused = `(() => {
  const { activeElement: element } = document
  if (element === document.body) return 'nothing'
  if (element.matches('main')) return 'the content'
  const label = element.labels?.[0] ?? element
  return (element.getAttribute('aria-label') ?? label.innerText ?? '').trim()
})()`

/** The link of a row has its ring on what covers the row. */
const ring = `[undefined, '::after']
  .map((part) => getComputedStyle(document.activeElement, part).outlineStyle)
  .find((style) => style !== 'none')`

const inView = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
})()`

const nameOfFocus = async ({ page }: Visitor) => String(await page.evaluate(focused))

/** One can see where the focus is. */
async function showsFocus({ page }: Visitor): Promise<void> {
  expect(await page.evaluate(ring)).toBeDefined()
  expect(await page.evaluate(inView)).toBe(true)
}

/** From the beginning of the page, past the navigation. */
export async function skipToContent(person: Visitor): Promise<void> {
  await person.page.getByRole('button', { name: 'Skip to content' }).waitFor({ state: 'attached' })
  await person.page.keyboard.press('Tab')
  expect(await nameOfFocus(person)).toBe('Skip to content')
  await person.page.keyboard.press('Enter')
  expect(await nameOfFocus(person)).toBe('the content')
}

/** Presses Tab until the focus is on the control with this name, and checks that one can see where it is. */
export async function tabTo(person: Visitor, name: string | RegExp, tab: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < mostTabs; presses += 1) {
    await person.page.keyboard.press(tab)
    const here = await nameOfFocus(person)
    seen.push(here)
    if (typeof name === 'string' ? here !== name : !name.test(here)) continue
    return showsFocus(person)
  }
  throw new Error(`Tab did not reach ${name}, but ${seen.join(' | ')}`)
}

export async function press(person: Visitor, name: string | RegExp): Promise<void> {
  await tabTo(person, name)
  await person.page.keyboard.press('Enter')
}

/** Checks the box, or removes its check. */
export async function check(person: Visitor, name: string | RegExp): Promise<void> {
  await tabTo(person, name)
  await person.page.keyboard.press('Space')
}

export async function type(person: Visitor, name: string | RegExp, text: string): Promise<void> {
  await tabTo(person, name)
  await person.page.keyboard.press('Control+a')
  await person.page.keyboard.insertText(text)
}

/** After something was done, the focus is here, and one can see it. */
export async function hasFocus(person: Visitor, name: string | RegExp): Promise<void> {
  const poll = expect.poll(() => nameOfFocus(person))
  await (typeof name === 'string' ? poll.toBe(name) : poll.toMatch(name))
  await showsFocus(person)
}

/** After another page was opened, the focus is at the beginning of its content. */
export async function hasFocusOnContent(person: Visitor): Promise<void> {
  await expect.poll(() => nameOfFocus(person)).toBe('the content')
}
