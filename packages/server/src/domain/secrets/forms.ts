// The forms in which a secret text may turn up in another text: as it is, JSON-escaped, URL-encoded and in base64.

export interface SecretForm {
  readonly text: string
  /** `base64`: only the characters that depend on nothing but the secret; its neighbours may hold a few bits more. */
  readonly kind: 'raw' | 'escaped' | 'base64'
}

/** Each text once. Takes a text without lone surrogates, at least four characters long. */
export function formsOf(secret: string): SecretForm[] {
  const forms = new Map<string, SecretForm>([[secret, { text: secret, kind: 'raw' }]])
  const add = (kind: SecretForm['kind'], texts: readonly string[]) => {
    for (const text of texts) if (!forms.has(text)) forms.set(text, { text, kind })
  }
  const escaped = jsonForms(secret)
  add('escaped', escaped)
  add('escaped', urlForms(secret))
  for (const text of new Set([secret, ...escaped])) add('base64', base64Forms(Buffer.from(text)))
  return [...forms.values()]
}

const insideString = (text: string): string => JSON.stringify(text).slice(1, -1)

const escapeCodeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

// Most secrets are made of characters that nobody escapes: they are spared the work.
const plainInJson = /^[ !#-.0-[\]-~]*$/
const plainInUrls = /^[\w.-]*$/

/** As JavaScript writes it, as writers that keep to ASCII do, as PHP does, and a JSON text inside another. */
function jsonForms(secret: string): string[] {
  if (plainInJson.test(secret)) return []
  const escaped = insideString(secret)
  const ascii = escaped.replace(/[^ -~]/g, escapeCodeUnit)
  return [
    escaped,
    ascii,
    escaped.replace(/[^ -~]/g, (unit) => `\\u${escapeCodeUnit(unit).slice(2).toUpperCase()}`),
    escaped.replaceAll('/', '\\/'),
    ascii.replaceAll('/', '\\/'),
    insideString(escaped),
    insideString(ascii),
  ]
}

/** Encoders differ in what they leave alone, in how they write a space, and in the case of their digits. */
function urlForms(secret: string): string[] {
  if (plainInUrls.test(secret)) return []
  const component = encodeURIComponent(secret)
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  const forms = [component, strict, form, encodeURI(secret)]
  const withPlus = forms.map((text) => text.replaceAll('%20', '+'))
  const lowerCase = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  return [...forms, ...withPlus].flatMap((text) => [text, lowerCase(text)])
}

/** How the bytes look from each of the three places they can have within a group of base64, in both alphabets. */
function base64Forms(bytes: Buffer): string[] {
  const padded = Buffer.concat([Buffer.alloc(2), bytes])
  return [0, 1, 2].flatMap((offset) => {
    const text = padded.toString('base64', 2 - offset)
    const own = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return /[+/]/.test(own) ? [own, own.replaceAll('+', '-').replaceAll('/', '_')] : [own]
  })
}
