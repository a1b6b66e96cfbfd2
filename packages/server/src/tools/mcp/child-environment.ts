// The environment of a program that the service starts: what any program needs to run, and what the operator names for it.
// Nothing else: the service's own holds the database's password and its keys.

const inherited = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'APPDATA', 'LOCALAPPDATA'],
  ...['USERNAME', 'USERPROFILE', 'PROGRAMFILES', 'PROGRAMDATA'],
]

export function childEnvironment(
  named: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = inherited.flatMap((name): [string, string][] => {
    const value = own[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...named }
}
