import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventStore } from '#infra/event-store/event-store.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { createReact, runPolicies } from '#services/portal/modules.ts'
import { publishPresets } from '#services/programmes/programmes/server/programme-commands.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { EmailAddresses } from '#services/identity/users/server/email-addresses.ts'
import { dyingStore, Killed } from '#test-support/dying-store.ts'
import { decodeEvents, readLog, withStores } from '#test-support/stores.ts'
import { createThrottle } from '#services/framework/http/throttle.ts'
import { createOrderEnrolment } from './enrol-by-order.ts'

const context = systemContext('a test', 'a test')

/** A process, which enrols by orders. */
function processOf(parts: Dependencies, store: EventStore = parts.eventStore) {
  const repositories = createRepositories(eventRegistry, store, parts.personKeys, { secrets: parts.secrets })
  const addresses = new EmailAddresses(repositories, parts.secrets)
  const react = createReact({ ...parts.policyDependencies, repositories, addresses })
  const throttle = createThrottle(parts)
  const { byProgram: enrol } = createOrderEnrolment({ ...parts, throttle, repositories, addresses, react })
  return { repositories, enrol }
}

describe('an order whose process dies', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-orders-'))
  })
  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  it('anywhere between its appends enrols once, when it is sent again', async () => {
    await withStores(dataDir, async (parts) => {
      await publishPresets(parts.repositories, 'a test')
      let killed = 0
      for (let appends = 0; appends < 10; appends++)
        for (const isDurable of [false, true])
          for (const policiesFirst of [false, true]) {
            const { checkpoint } = await readLog(parts)
            const name = `${appends}-${isDurable}-${policiesFirst}`
            const order = {
              order: name,
              email: `${name}@example.com`,
              fullName: 'Grace Hopper',
              programme: 'one-step-5000',
            }
            const dying = processOf(parts, dyingStore(parts.eventStore, appends, isDurable))
            const died = await dying.enrol(order, context).then(
              () => false,
              (error: unknown) => {
                if (error instanceof Killed) return true
                throw error
              },
            )
            if (died) killed++
            const policies = async () => {
              const { events } = await readLog(parts, checkpoint)
              const { repositories } = processOf(parts)
              for (const event of await decodeEvents(parts, events))
                await runPolicies(event, { ...parts.policyDependencies, repositories })
            }
            if (policiesFirst) await policies()
            const first = await processOf(parts).enrol(order, context)
            const again = await processOf(parts).enrol(order, context)
            await policies()
            expect([again.status, again.body]).toEqual([200, first.body])
            const types = (await readLog(parts, checkpoint)).events.map(({ type }) => type)
            expect(types.toSorted(), name).toEqual([
              'AccountAssigned',
              'AccountOpened',
              'BalanceChanged',
              // A claim that was made and not used is made again.
              ...types.filter((type) => type === 'EmailClaimed'),
              'OrderAssigned',
              'OrderNumberRecorded',
              'OrderReceived',
              'StageBegun',
              'TraderEnrolled',
              'UserCreated',
            ])
          }
      expect(killed).toBeGreaterThan(10)
    })
  })
})
