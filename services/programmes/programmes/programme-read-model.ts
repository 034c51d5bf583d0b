import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { updateExisting, projection } from '#services/event-sourcing/read-models/projection.ts'
import { programmeTerms } from '#services/rules/programme.ts'
import { VersionState } from './programme-api.ts'
import { programmeEvents } from './programme.ts'

const version = z.object({
  state: VersionState,
  hash: z.string(),
  terms: programmeTerms,
  /** The hash of the terms whose what-if is being computed; null where none is. */
  trying: z.string().nullable(),
  /** The last what-if; null before. */
  tried: z.object({ hash: z.string(), accounts: z.int(), differences: z.int() }).nullable(),
  published: z.object({ at: z.int(), by: z.string() }).nullable(),
})
type VersionDocument = z.infer<typeof version>

const document = z.object({ id: z.string(), versions: z.array(version) })
export type ProgrammeDocument = z.infer<typeof document>

/** One document per programme, with the terms of all its versions. */
export const programmes = projection(programmeEvents, {
  name: 'programmes',
  version: 2,
  document,
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    ProgrammeDrafted: (programme, { stream, data: { terms, hash } }): ProgrammeDocument => ({
      id: parseStreamName(stream).id,
      versions: [
        ...(programme?.versions ?? []),
        { state: 'draft', hash, terms, trying: null, tried: null, published: null },
      ],
    }),
    ProgrammeDraftChanged: updateExisting((programme, { data: { version, terms, hash } }) =>
      withVersion(programme, version, { terms, hash, trying: null }),
    ),
    ProgrammeTrialRequested: updateExisting((programme, { data: { version, hash } }) =>
      withVersion(programme, version, { trying: hash }),
    ),
    ProgrammeTried: updateExisting((programme, { data: { version, hash, accounts, differences } }) =>
      withVersion(programme, version, { trying: null, tried: { hash, accounts, differences } }),
    ),
    ProgrammePublished: updateExisting((programme, { at, metadata: { actor }, data }) =>
      withVersion(programme, data.version, { state: 'published', published: { at, by: actor.id ?? actor.kind } }),
    ),
    ProgrammeRetired: updateExisting((programme, { data }) =>
      withVersion(programme, data.version, { state: 'retired' }),
    ),
  },
})

function withVersion(
  programme: ProgrammeDocument,
  number: number,
  change: Partial<VersionDocument>,
): ProgrammeDocument {
  return {
    ...programme,
    versions: programme.versions.map((each, n) => (n === number - 1 ? { ...each, ...change } : each)),
  }
}
