// Colours of the terminal. Without colour, the text stays as it is.

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>>

export const styleFor = (isColoured: boolean): Style => {
  const wrap = ([on, off]: readonly [number, number]) =>
    isColoured ? (text: string) => `\u001b[${on}m${text}\u001b[${off}m` : (text: string) => text
  return {
    bold: wrap(codes.bold),
    dim: wrap(codes.dim),
    red: wrap(codes.red),
    green: wrap(codes.green),
    yellow: wrap(codes.yellow),
    cyan: wrap(codes.cyan),
  }
}
