// OpenAI's rules for images and documents, from its guides: PNG, JPEG, WebP and GIF, PDF with a name, 50 MB a request.
import { type FileProblem, fileProblem } from './files.ts'
import { Refusal } from './refusal.ts'
import type { NeutralFile } from './script.ts'

const maxLength = 50_000_000
const images = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

const imageWords: Record<FileProblem, string> = {
  type: "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
  base64: 'Invalid base64 image_url.',
  large: 'The image is too large: the total image size of a request is at most 50 MB.',
  bytes: 'The image data you provided does not represent a valid image. Please check your input and try again.',
}

export function checkOpenAiImage(file: NeutralFile, param: string): void {
  const problem = fileProblem(file, { types: images, maxLength })
  if (problem)
    throw new Refusal(imageWords[problem], {
      param,
      code: problem === 'base64' ? 'invalid_base64' : 'invalid_image_format',
    })
}

interface Document {
  readonly file: NeutralFile | undefined
  readonly filename: string | undefined
}

export function checkOpenAiDocument({ file, filename }: Document, param: string): void {
  if (filename === undefined || filename === '') {
    throw new Refusal(`Missing required parameter: '${param}.filename'.`, { param, code: 'missing_required_parameter' })
  }
  const problem = file === undefined ? 'base64' : fileProblem(file, { types: ['application/pdf'], maxLength })
  if (problem === undefined) return
  const words =
    problem === 'type'
      ? `Expected a base64-encoded data URL of the type application/pdf.`
      : 'The file could not be parsed: it is not a valid PDF.'
  throw new Refusal(`Invalid '${param}.file_data'. ${words}`, { param, code: 'invalid_value' })
}
