// The forms in which a secret can appear in other text: unchanged, JSON-escaped, URL-encoded and in base64.

export interface SecretForm {
  readonly text: string
  /**
   * For `base64`, `text` has only the characters that encode the secret alone; the adjacent ones may hold a few bits.
   */
  readonly kind: 'raw' | 'escaped' | 'base64'
}

/** Each text once. `secret` must have at least four characters and no lone surrogates. */
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

// Most secrets contain only characters that are never escaped, and need no further forms.
const plainInJson = /^[ !#-.0-[\]-~]*$/
const plainInUrls = /^[\w.-]*$/

/** As JavaScript, ASCII-only serializers and PHP escape it, and as JSON inside a JSON string. */
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

/** Encoders differ in which characters they leave alone, in how they write a space, and in the case of hex digits. */
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

/** The base64 of the bytes at each of the three possible offsets within a group, in both alphabets. */
function base64Forms(bytes: Buffer): string[] {
  const padded = Buffer.concat([Buffer.alloc(2), bytes])
  return [0, 1, 2].flatMap((offset) => {
    const text = padded.toString('base64', 2 - offset)
    const own = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return /[+/]/.test(own) ? [own, own.replaceAll('+', '-').replaceAll('/', '_')] : [own]
  })
}
