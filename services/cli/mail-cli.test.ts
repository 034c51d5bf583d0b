import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { whyNoRedis, type RedisServer, startRedis } from '#test-support/servers/redis.ts'
import type { CommandLine } from './command.ts'
import { addMailCommands } from './mail-cli.ts'
import { addSystemCommands } from './system-cli.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'

describe('proofdesk mail, with the embedded outbox', () => tests(async () => ({})))

describe.skipIf(whyNoRedis)(`proofdesk mail, with the outbox in Redis${whyNoRedis ? ` (${whyNoRedis})` : ''}`, () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  // An installation has a Redis to itself: each test gets its own database.
  let databases = 0
  tests(async () => ({ REDIS_URL: `${redis.url}/${databases++}` }))
})

function tests(environment: () => Promise<Record<string, string>>) {
  const opened = async (variables: Record<string, string> = {}): Promise<Portal> => {
    const portal = await openPortal({ environment: { ...(await environment()), ...variables } })
    onTestFinished(() => portal.stop())
    return portal
  }

  it('lists failed mails with reasons, and retries one or all', async () => {
    const portal = await opened()
    const { outbox, eventStore } = portal.running.parts
    const proofdesk = commandLine(portal)
    expect(await proofdesk('failed')).toEqual(['No mail failed for good.'])

    // Jobs about events that do not exist fail.
    const [first, second] = [randomUUID(), randomUUID()]
    const jobs = [first, second].map((id) => ({ id, kind: 'UserBanned', stream: 'user-nobody', revision: 7 }))
    const failing = (count: number) =>
      until(async () => (await outbox.counts()).failed === count, `${count} mails to fail`)
    await outbox.enqueue(jobs, await eventStore.checkpointAtEnd())
    await failing(2)

    const listed = await proofdesk('failed')
    expect(listed).toHaveLength(3)
    expect(listed[0]).toBe(`${first}  UserBanned at user-nobody#7, tries: 1: No mail is sent about user-nobody#7`)
    const [json] = await proofdesk('failed', '--json')
    expect(JSON.parse(json ?? '')).toMatchObject([{ id: first, attempts: 1 }, { id: second }])

    expect(await proofdesk('retry', first)).toEqual(['Put back in the outbox: 1.'])
    // It fails again, now as the last one.
    await until(async () => (await outbox.failed()).at(-1)?.id === first, 'the retry to fail')
    expect(await proofdesk('retry', '--all')).toEqual(['Put back in the outbox: 2.'])
    await failing(2)
  })

  it('lists the mails that wait, with the reason and the next try', async () => {
    const portal = await opened({ SMTP_URL: 'smtp://desk:s3cret@127.0.0.1:9' })
    await portal.trader()
    const proofdesk = commandLine(portal)
    await until(async () => (await proofdesk('waiting'))[0] !== 'No mail waits for another try.', 'a mail to wait')
    const [line] = await proofdesk('waiting')
    expect(line).toMatch(
      /^[0-9a-f-]{36}  UserRegistered at user-\w+#0, tries: \d+: Connection: ECONNREFUSED, nothing answers at the address of SMTP_URL; next try: 2\S+Z$/,
    )
    const [json = ''] = await proofdesk('waiting', '--json')
    expect(JSON.parse(json)).toMatchObject([{ kind: 'UserRegistered', error: expect.any(String) }])
    expect(json).not.toMatch(/s3cret|@/)

    const status: string[] = []
    const program = new Command()
    const withDependencies: CommandLine['withDependencies'] = (work) => work(portal.running.parts)
    const print = (text: string) => void status.push(text)
    addSystemCommands(program, {
      withDependencies,
      withDecisions: withDependencies,
      print,
      table: () => {},
      fail: () => {},
    })
    await program.parseAsync(['status'], { from: 'user' })
    expect(status).toContainEqual(
      expect.stringMatching(/^  1 wait: Connection: ECONNREFUSED, nothing answers .* SMTP_URL; next try: 2\S+Z$/),
    )
  })

  it('refuses to retry an unknown mail, or none', async () => {
    const proofdesk = commandLine(await opened())
    const unknown = randomUUID()
    await expect(proofdesk('retry', unknown)).rejects.toThrow(
      new Refused('not-found', `No mail ${unknown} failed for good`),
    )
    await expect(proofdesk('retry')).rejects.toThrow('Name one mail, or say --all')
    await expect(proofdesk('retry', unknown, '--all')).rejects.toThrow('Name one mail, or say --all')
    expect(await proofdesk('retry', '--all')).toEqual(['Put back in the outbox: 0.'])
  })
}

/** The commands, on the stores of a running portal. Returns the printed lines. */
function commandLine({ running }: Portal) {
  return async (...args: string[]): Promise<string[]> => {
    const lines: string[] = []
    const program = new Command()
    addMailCommands(program, { withDependencies: (work) => work(running.parts), print: (text) => lines.push(text) })
    await program.parseAsync(['mail', ...args], { from: 'user' })
    return lines
  }
}
