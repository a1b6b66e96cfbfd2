// The secrets of the operator in the environment of a process, so that they can be removed from its log.
import { secretsIn } from './named-secrets.ts'
import { SecretTexts } from './secret-texts.ts'

/** `customer=key_id:secret,…`, and `name=value,…` with percent encoding. */
const lists: Readonly<Record<string, RegExp>> = {
  RUNWRIGHT_BOOTSTRAP_KEYS: /[,:]/,
  OTEL_EXPORTER_OTLP_HEADERS: /[,=\s]|%20/,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: /[,=\s]|%20/,
}

export function operatorSecrets(env: Readonly<Record<string, string | undefined>>): SecretTexts {
  const secrets = Object.entries(env).flatMap(([name, value = '']) => {
    const separator = lists[name]
    return separator ? value.split(separator) : secretsIn(name, value)
  })
  return new SecretTexts(secrets)
}
