// The request as code to copy, as it would be sent now.
import type { CreateRunRequest } from '@runwright/client'
import { useState } from 'react'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { Tabs } from '../parts/controls/tabs.tsx'
import { Code } from '../parts/values/code.tsx'
import { type CodeLanguage, codeLanguages, codeOf } from './request-code.ts'

const tabs = codeLanguages.map((name) => ({ name, label: name }))

export function CodePanel({ request }: { readonly request: CreateRunRequest }) {
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const code = codeOf(language, request, new URL('..', window.location.href).href)
  return (
    <details className="rounded-lg border border-line bg-surface px-4 py-3">
      <summary className="w-fit font-medium">As code</summary>
      <div className="mt-2">
        <Tabs label="Language" tabs={tabs} current={language} onChoose={setLanguage}>
          <div className="flex flex-col items-start gap-2">
            <CopyButton label={`Copy as ${language}`} text={code} isTextShown />
            <div className="w-full">
              <Code value={code} label={`The request in ${language}`} />
            </div>
          </div>
        </Tabs>
      </div>
    </details>
  )
}
