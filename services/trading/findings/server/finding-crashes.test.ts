import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventStore } from '#infra/event-store/event-store.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { beginStageIn } from '#services/trading/stream/account.ts'
import { accountIdOf, enrolmentIdOf, programmeId, userId } from '#services/framework/ids.ts'
import { createReact, runPolicies } from '#services/portal/modules.ts'
import { recordRows } from '#services/trading/observations/server/record-rows.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { observation } from '#services/rules/observation.ts'
import { dyingStore, Killed } from '#test-support/dying-store.ts'
import { decodeEvents, readLog, withStores } from '#test-support/stores.ts'

const context = systemContext('a test', 'a test')
const terms = { ...presetTerms('two-step', 100_000), breaches: 'automatically' as const }
// The stage begins now: what is older than it is left to staff.
const breaching = observation.parse({
  ...{
    at: new Date(Date.now() + 60_000).toISOString(),
    kind: 'state',
    balance: '94000.00',
    equity: '94000.00',
    open: false,
  },
})

describe('a breach whose process dies', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-findings-'))
  })
  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  it('anywhere between its appends is raised and confirmed once', async () => {
    await withStores(dataDir, async (parts) => {
      const repositoriesOn = (store: EventStore = parts.eventStore) =>
        createRepositories(eventRegistry, store, parts.personKeys, { secrets: parts.secrets })
      let killed = 0
      for (const appends of [0, 1, 2])
        for (const isDurable of [false, true])
          for (const policiesFirst of [false, true]) {
            const owner = userId.parse(`trader${appends}${isDurable ? 1 : 0}${policiesFirst ? 1 : 0}0`)
            const account = accountIdOf(owner, 1)
            await repositoriesOn()
              .of(accountStreams)
              .decide(account, context, (state) =>
                beginStageIn(state.account, account, {
                  enrolmentId: enrolmentIdOf(owner, 1),
                  programme: programmeId.parse('two-step-100000'),
                  ...{ version: 1, hash: 'f'.repeat(64), stage: 0, terms },
                }),
              )
            const { checkpoint } = await readLog(parts)
            const send = (store?: EventStore) => {
              const repositories = repositoriesOn(store)
              return recordRows(
                { repositories, react: createReact({ ...parts.policyDependencies, repositories }) },
                [{ index: 0, account, observation: breaching }],
                (state, observations) => recordObservations(state, observations, 'feed'),
                context,
              )
            }
            const policies = async () => runAll(parts, (await readLog(parts, checkpoint)).events)
            const died = await send(dyingStore(parts.eventStore, appends, isDurable)).then(
              () => false,
              (error: unknown) => {
                if (error instanceof Killed) return true
                throw error
              },
            )
            if (died) killed++
            if (policiesFirst) await policies()
            await send()
            await policies()
            expect((await readLog(parts, checkpoint)).events.map(({ type }) => type)).toEqual([
              'ObservationsRecorded',
              'BalanceChanged',
              'RuleFindingRaised',
              'BreachConfirmed',
              'AccountStatusChanged',
            ])
          }
      expect(killed).toBe(8)
    })
  })
})

async function runAll(parts: Dependencies, events: Awaited<ReturnType<typeof readLog>>['events']): Promise<void> {
  const repositories = createRepositories(eventRegistry, parts.eventStore, parts.personKeys, { secrets: parts.secrets })
  for (const event of await decodeEvents(parts, events))
    await runPolicies(event, { ...parts.policyDependencies, repositories })
}
