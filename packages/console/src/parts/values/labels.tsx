// The workspace and the subject of something. Clients choose them, so they are shown with what would hide or turn text.
import { visibleText } from '@runwright/contract'

interface Labelled {
  readonly workspace_id: string | null
  readonly subject_id: string | null
}

/** As a part of a line. */
export function Labels({ of: { workspace_id, subject_id } }: { readonly of: Labelled }) {
  return (
    <>
      {workspace_id !== null && <span className="wrap-anywhere">workspace {visibleText(workspace_id)}</span>}
      {subject_id !== null && <span className="wrap-anywhere">subject {visibleText(subject_id)}</span>}
    </>
  )
}
