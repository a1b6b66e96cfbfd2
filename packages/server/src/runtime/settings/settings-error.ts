// A configuration error that stops the start. The command line shows its message unchanged.

export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}
