import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newUserId } from '#services/identity/users/server/password-link-tokens.ts'
import { randomId } from '#services/identity/authentication/random-id.ts'
import { createRepositories, type Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { beginStageIn } from '#services/trading/stream/account.ts'
import { accountIdOf, enrolmentIdOf, importId, programmeId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { createReact } from '#services/portal/modules.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { observation } from '#services/rules/observation.ts'
import { dyingStore, Killed } from '#test-support/dying-store.ts'
import { withStores } from '#test-support/stores.ts'
import { confirmImport, importStreams } from '../import.ts'
import { mapping as parsedMapping } from '../mapping-api.ts'
import { countsOf, createImportFiles, type ReadRow } from './import-files.ts'
import { runImport } from './run-import.ts'

const context = systemContext('a test', 'a test')
const ACCOUNTS = 3
const unread = { outcome: 'refused', account: null, row: null, observation: null, known: null } as const
const mapping = parsedMapping.parse({ delimiter: ',', columns: {} })

it('goes on wherever it died, and no row counts twice', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-imports-'))
  await withStores(dataDir, async (parts) => {
    const { eventStore, personKeys, secrets, repositories, fileStore } = parts
    const files = createImportFiles(fileStore)
    const partsOn = (of: Repositories) => ({
      ...{ repositories: of, files: fileStore },
      react: createReact({ ...parts.policyDependencies, repositories: of }),
    })
    for (let appends = 0; appends <= ACCOUNTS; appends++)
      for (const isDurable of [true, false]) {
        const rows: ReadRow[] = []
        const accounts = Array.from({ length: ACCOUNTS }, () => accountIdOf(newUserId(), 1))
        for (const account of accounts) {
          const owner = newUserId()
          const beginning = {
            ...{ enrolmentId: enrolmentIdOf(owner, 1), programme: programmeId.parse('two-step-100000') },
            ...{ version: 1, hash: 'f'.repeat(64), stage: 0, terms: presetTerms('two-step', 100_000) },
          }
          await repositories
            .of(accountStreams)
            .decide(account, context, (state) => beginStageIn(state.account, account, beginning))
          const at = '2026-03-02T09:00:00Z'
          const trade = { at, kind: 'trade', id: 'T1', openedAt: at, profit: '5.00', volume: '1.00' }
          const read = { account, observation: observation.parse(trade), reason: null, row: null, known: null }
          rows.push({ line: rows.length + 2, outcome: 'recorded', ...read })
          rows.push({ line: rows.length + 2, outcome: 'duplicate', ...read })
        }
        rows.push({ line: rows.length + 2, ...unread, reason: 'There is no such account' })
        const id = importId.parse(randomId())
        const rowsSha256 = await files.putRows(id, rows)
        const counts = countsOf(rows)
        const previewed = {
          ...({ kind: 'trades', account: null, mapping } as const),
          ...{ sha256: '', rowsSha256, counts },
        }
        const imports = repositories.of(importStreams)
        await imports.decide(id, context, () => [{ type: 'ImportPreviewed', data: previewed }])
        await imports.decide(id, context, confirmImport)

        const dying = createRepositories(eventRegistry, dyingStore(eventStore, appends, isDurable), personKeys, {
          secrets,
        })
        await expect(runImport(partsOn(dying), id, context)).rejects.toThrow(Killed)
        const next = createRepositories(eventRegistry, eventStore, personKeys, { secrets })
        await runImport(partsOn(next), id, context)
        await runImport(partsOn(next), id, context)

        expect((await next.of(importStreams).load(id)).state.state).toBe('done')
        expect(
          countsOf((await files.outcomes(id, (await repositories.of(importStreams).load(id)).state)) ?? []),
        ).toEqual(counts)
        for (const account of accounts) {
          const { state } = await next.of(accountStreams).load(account)
          expect(state.stage?.known.list.size).toBe(1)
          expect(state.account.balance).toBe(100_005_00)
        }
      }

    const lost = importId.parse(randomId())
    const imports = repositories.of(importStreams)
    const rowsSha256 = await files.putRows(lost, [{ line: 2, ...unread, reason: 'x' }])
    await imports.decide(lost, context, () => [
      {
        type: 'ImportPreviewed',
        data: {
          ...({ kind: 'trades', account: null, mapping, sha256: '' } as const),
          ...{ rowsSha256, counts: { recorded: 0, duplicate: 0, refused: 1, conflict: 0 } },
        },
      },
    ])
    await imports.decide(lost, context, confirmImport)
    await files.putRows(lost, [])
    await runImport(partsOn(repositories), lost, context)
    expect((await imports.load(lost)).state.state).toBe('lost')
  })
  await rm(dataDir, { recursive: true, force: true })
})
