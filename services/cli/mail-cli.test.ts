import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { whyNoRedis, type RedisServer, startRedis } from '../../test-support/servers/redis.ts'
import { addMailCommands } from './mail-cli.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import { openPortal, type Portal } from '../../test-support/portal.ts'
import { until } from '../../test-support/until.ts'

describe('proofdesk mail, with the embedded queue', () => tests(async () => ({})))

describe.skipIf(whyNoRedis)(`proofdesk mail, with the queue in Redis${whyNoRedis ? ` (${whyNoRedis})` : ''}`, () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  // A Redis is one installation's: each gets a database of its own.
  let databases = 0
  tests(async () => ({ REDIS_URL: `${redis.url}/${databases++}` }))
})

function tests(environment: () => Promise<Record<string, string>>) {
  const opened = async (): Promise<Portal> => {
    const portal = await openPortal({ environment: await environment() })
    onTestFinished(() => portal.stop())
    return portal
  }

  it('lists what failed and why, and puts one back or all', async () => {
    const portal = await opened()
    const { outbox, eventStore } = portal.running.parts
    const proofdesk = commandLine(portal)
    expect(await proofdesk('failed')).toEqual(['No mail failed for good.'])

    // They name facts that are not there.
    const [one, other] = [randomUUID(), randomUUID()]
    const jobs = [one, other].map((id) => ({ id, kind: 'UserBanned', stream: 'user-nobody', revision: 7 }))
    const failing = (count: number) => until(async () => (await outbox.counts()).failed === count, `${count} mails to fail`, 30_000)
    await outbox.enqueue(jobs, await eventStore.checkpointAtEnd())
    await failing(2)

    const listed = await proofdesk('failed')
    expect(listed).toHaveLength(3)
    expect(listed[0]).toBe(`${one}  UserBanned at user-nobody#7, tries: 1: No mail is sent about user-nobody#7`)
    const [json] = await proofdesk('failed', '--json')
    expect(JSON.parse(json ?? '')).toMatchObject([{ id: one, attempts: 1 }, { id: other }])

    expect(await proofdesk('retry', one)).toEqual(['Put back in the queue: 1.'])
    // It fails again, as the last one now.
    await until(async () => (await outbox.failed()).at(-1)?.id === one, 'it to be tried again', 30_000)
    expect(await proofdesk('retry', '--all')).toEqual(['Put back in the queue: 2.'])
    await failing(2)
  })

  it('says so when there is no such mail, or it is not told which', async () => {
    const proofdesk = commandLine(await opened())
    const unknown = randomUUID()
    await expect(proofdesk('retry', unknown)).rejects.toThrow(new Refused('not-found', `No mail ${unknown} failed for good`))
    await expect(proofdesk('retry')).rejects.toThrow('Name one mail, or say --all')
    await expect(proofdesk('retry', unknown, '--all')).rejects.toThrow('Name one mail, or say --all')
    expect(await proofdesk('retry', '--all')).toEqual(['Put back in the queue: 0.'])
  })
}

/** The commands, on the stores of a portal that runs. Answers the lines said. */
function commandLine({ running }: Portal) {
  return async (...given: string[]): Promise<string[]> => {
    const said: string[] = []
    const program = new Command()
    addMailCommands(program, { withDependencies: (work) => work(running.parts), print: (text) => said.push(text) })
    await program.parseAsync(['mail', ...given], { from: 'user' })
    return said
  }
}
