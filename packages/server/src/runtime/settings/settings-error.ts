// The one error that stops a start for the operator's sake: its message is a whole sentence, fit to be shown as it is.

export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}
