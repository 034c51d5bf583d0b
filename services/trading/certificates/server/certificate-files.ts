import { createHash } from 'node:crypto'
import { Unavailable } from '#infra/failures.ts'
import { AlteredContent, type FileStore } from '#infra/file-store/file-store.ts'
import { certificateEvents } from '#services/trading/stream/certificate.ts'
import { accountOf, type UserId } from '#services/framework/ids.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { type CheckedEvent, isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { UnreadableEvent } from '#services/event-sourcing/codec/event-codec.ts'

/** The files of certificates, checked against the SHA-256 that the log recorded when they were issued. */

/** Damage of a file: its bytes differ from those that were recorded, or it is missing. */
export type FileDamage = 'altered' | 'missing'

const recordedFile = certificateEvents.CertificateIssued.schema.pick({ certificateId: true, file: true, sha256: true })

/** The file of a certificate as the log recorded it. Every version of the program recorded the hash. */
export type RecordedFile = ReturnType<typeof recordedFile.parse>

/**
 * Reads a whole file and compares it with what was recorded. Returns undefined when it is unchanged.
 *
 * @throws {Unavailable} when the store cannot say.
 */
export async function damageOf(
  { file, sha256 }: Pick<RecordedFile, 'file' | 'sha256'>,
  files: Pick<FileStore, 'get'>,
): Promise<FileDamage | undefined> {
  const stored = await files.get(file)
  if (!stored) return 'missing'
  const hash = createHash('sha256')
  try {
    for await (const chunk of stored.content) hash.update(chunk)
  } catch (error) {
    if (error instanceof Unavailable && error.cause instanceof AlteredContent) return 'altered'
    throw error
  }
  return hash.digest('hex') === sha256 ? undefined : 'altered'
}

/**
 * The file that an event recorded; undefined for an event that is no issued certificate, or that does not count or
 * cannot be read.
 */
export function recordedFileIn(event: CheckedEvent): RecordedFile | undefined {
  if (event.type !== 'CertificateIssued' || !isAuthentic(event)) return undefined
  try {
    return recordedFile.parse(JSON.parse(event.data))
  } catch {
    return undefined
  }
}

/**
 * Whether the files of this certificate's owner were removed on purpose, or are about to be: the account is closed by a
 * deletion.
 */
export async function isErased(
  { certificateId }: Pick<RecordedFile, 'certificateId'>,
  repositories: Repositories,
): Promise<boolean> {
  try {
    return (await repositories.of(accountStreams).load(accountOf(certificateId))).state.account.erased
  } catch (error) {
    // A blocked stream closes no account.
    if (error instanceof UnreadableEvent) return false
    throw error
  }
}

/** A certificate whose file is not what was issued. */
export interface DamagedCertificate {
  readonly certificateId: string
  readonly file: string
  readonly damage: FileDamage
}

/** Checks the files of certificates one by one. Those of deleted users are not expected. @throws {Unavailable} */
export async function damagedCertificates(
  recorded: readonly RecordedFile[],
  { fileStore, repositories }: { readonly fileStore: Pick<FileStore, 'get'>; readonly repositories: Repositories },
): Promise<DamagedCertificate[]> {
  const damaged: DamagedCertificate[] = []
  for (const certificate of recorded) {
    const damage = await damageOf(certificate, fileStore)
    if (damage && !(await isErased(certificate, repositories)))
      damaged.push({ certificateId: certificate.certificateId, file: certificate.file, damage })
  }
  return damaged
}

/** The folder of a user's files in the file store. */
export function userFilesPrefix(owner: UserId): string {
  return `certificates/${owner}/`
}
