// The stem of an English word, so that a search for "approving" finds "approval" and "approved". The index and the
// search use the same function, so it need not be right, only the same for all forms of a word.
const endings = [
  'ications',
  'ication',
  'ations',
  'ation',
  'ings',
  'ing',
  'ions',
  'ion',
  'ally',
  'als',
  'al',
  'ers',
  'er',
  'ies',
  'ied',
  'ed',
  'es',
  'ly',
  's',
  'e',
  'y',
]
const shortest = 4

/** @param {string} term */
export function stem(term) {
  const word = term.toLowerCase()
  // Names of settings and fields are found as they are.
  if (/[^a-z]/.test(word)) return word
  const ending = endings.find((one) => word.endsWith(one) && word.length - one.length >= shortest)
  const rest = ending === undefined ? word : word.slice(0, -ending.length)
  return rest.length > shortest && rest.at(-1) === rest.at(-2) ? rest.slice(0, -1) : rest
}
