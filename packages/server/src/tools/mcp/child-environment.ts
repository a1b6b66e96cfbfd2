// The environment of a program that the service starts: a few standard variables, and those that the operator
// configures. Nothing else is passed on, because the service's own environment has the database password and API keys.

const inherited = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'APPDATA', 'LOCALAPPDATA'],
  ...['USERNAME', 'USERPROFILE', 'PROGRAMFILES', 'PROGRAMDATA'],
]

export function childEnvironment(
  configured: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = inherited.flatMap((name): [string, string][] => {
    const value = own[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...configured }
}
