// Problems: what happened, and what to do.

import { PageFailure } from '../parts/errors/page-failure.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { MissingScope } from '../session/missing-scope.tsx'
import { brokenRequest, refusedRequest } from './examples.ts'
import { Group, Specimen } from './specimen.tsx'

export function Errors() {
  return (
    <Group title="Errors">
      <Specimen name="Problem">
        <Problem error={brokenRequest} />
        <Problem error={refusedRequest} />
        <Problem error={brokenRequest} onRetry={() => undefined} />
      </Specimen>
      <Specimen name="PageFailure">
        <PageFailure error={brokenRequest} reset={() => undefined} />
      </Specimen>
      <Specimen name="MissingScope">
        <MissingScope scope="keys:admin" allows="list keys" />
      </Specimen>
    </Group>
  )
}
