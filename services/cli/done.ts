import { Unavailable } from '../../infra/failures.ts'
import type { FileStore } from '../../infra/file-store/file-store.ts'
import type { OperationRecord } from '../api/index.ts'
import { recordOperation } from '../operations/installation-state.ts'

/** Records that a backup or a verification has succeeded, for `status` and the System page. It succeeded even if that fails. */
export async function recordDone(
  fileStore: FileStore,
  kind: 'backup' | 'verification',
  record: Omit<OperationRecord, 'at'>,
  warn: (text: string) => void,
): Promise<void> {
  try {
    await recordOperation(fileStore, kind, { at: new Date().toISOString(), ...record })
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    warn(`${error.message}, so \`status\` does not show this ${kind}`)
  }
}
