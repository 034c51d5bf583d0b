import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MailServer, useMailServer } from '#test-support/servers/mail-server.ts'
import { composeUsers, type RedisServer, startRedis, whyNoRedis } from '#test-support/servers/redis.ts'
import { RETRY_HEADER } from '#services/framework/api/headers.ts'
import { componentStates } from '#services/cli/health.ts'
import type { Answer } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { promptly } from '#test-support/promptly.ts'
import { until } from '#test-support/until.ts'

/**
 * The longest that anybody waits for an answer while Redis is away, in ms, on a machine that does other things as well.
 */
const TIMEOUT_MS = 7_500
const LONG = 120_000
const inTime = (answer: Promise<Answer>): Promise<Answer> => promptly(answer, TIMEOUT_MS)

describe.skipIf(whyNoRedis)(
  `with sessions, limits and mails in a real Redis${whyNoRedis ? ` (${whyNoRedis})` : ''}`,
  () => {
    let redis: RedisServer
    let mail: MailServer
    let dataDir: string
    let portal: Portal

    const open = async (): Promise<void> => {
      portal = await openPortal({ dataDir, environment: { REDIS_URL: redis.url, SMTP_URL: mail.url.href } })
    }
    const begin = async (keepsData = false, users: readonly string[] = []): Promise<void> => {
      redis = await startRedis({ keepsData, users })
      mail = await useMailServer()
      await open()
    }
    beforeEach(() => {
      dataDir = mkdtempSync(join(tmpdir(), 'proofdesk-portal-'))
    })
    afterEach(async () => {
      await portal.stop()
      await redis.close()
      rmSync(dataDir, { recursive: true, force: true })
    }, LONG)

    /** What was delivered to whom, without the mails of sign-ups. */
    const subjects = async (): Promise<string[]> =>
      (await deliveries()).map(({ to, subject }) => `${to?.[0]?.address} ${subject}`).toSorted()
    const deliveries = async () => {
      const mails = await Promise.all(mail.delivered.map((bytes) => PostalMime.parse(bytes)))
      return mails.filter(({ subject }) => !subject?.startsWith('Confirm your email'))
    }
    const delivered = (count: number) => until(async () => (await subjects()).length >= count, `${count} mails`, LONG)
    const signsIn = (trader: Trader) =>
      until(
        async () => {
          const { status } = await trader.post('/api/login', { email: trader.email, password: trader.password })
          return status === 200
        },
        'signing in to work',
        LONG,
      )
    /** A mail to each, in any session: only the queue needs Redis. */
    const asksForMail = async ({ email }: Trader): Promise<void> => {
      await until(
        async () => (await portal.browser().post('/api/forgot-password', { email })).status === 200,
        'a link to be asked for',
        LONG,
      )
    }
    const settled = async (count: number): Promise<void> => {
      await delivered(count)
      await until(() => settledNow(portal), 'the mail to settle', LONG)
    }

    const faults: Record<string, { begin: () => Promise<void>; end: () => Promise<void> }> = {
      'is gone': { begin: () => redis.kill(), end: () => redis.start() },
      hangs: { begin: async () => redis.pause(), end: async () => redis.resume() },
    }
    for (const [fault, { begin: take, end }] of Object.entries(faults))
      it(
        `answers 503 in time while Redis ${fault}, and recovers by itself`,
        async () => {
          await begin(true)
          const trader = await portal.trader()
          await take()
          const refused = await Promise.all([
            inTime(trader.get('/api/user')),
            inTime(portal.browser().post('/api/login', { email: trader.email, password: trader.password })),
            inTime(portal.browser().post('/api/forgot-password', { email: trader.email })),
          ])
          for (const { status, body, headers } of refused) {
            expect(status).toBe(503)
            expect(JSON.stringify(body)).toMatch(/We can't reach our servers right now/)
            expect(Number(headers.get(RETRY_HEADER))).toBeGreaterThan(0)
          }
          // No one is recognized as staff meanwhile.
          expect(await inTime(trader.get('/readyz'))).toMatchObject({ status: 503, body: { status: 'unavailable' } })
          const states = [
            { name: 'session store', ready: false, needed: true },
            { name: 'mail queue', ready: false, needed: false },
            { name: 'event store', ready: true, needed: true },
          ]
          expect(await componentStates(portal.running.parts)()).toEqual(expect.arrayContaining(states))
          await end()
          await until(async () => (await trader.get('/api/user')).status === 200, 'the session to be there again', LONG)
          await asksForMail(trader)
          await delivered(1)
          await until(async () => (await trader.get('/readyz')).status === 200, 'the portal to be ready again', LONG)
        },
        LONG,
      )

    const restarts: Record<string, (() => Promise<void>)[]> = {
      Redis: [() => redis.kill(), () => redis.start()],
      'the worker': [() => portal.stop(), () => open()],
      'Redis and the worker': [() => portal.stop(), () => redis.kill(), () => redis.start(), () => open()],
    }
    for (const [restarted, steps] of Object.entries(restarts))
      it(
        `keeps queued mails and sessions over a restart of ${restarted}, with the users of the compose file`,
        async () => {
          await begin(true, composeUsers)
          const trader = await portal.trader()
          await until(() => settledNow(portal), 'the mail to settle', LONG)
          await mail.disconnect()
          await asksForMail(trader)
          await until(() => queued(portal, 1), 'the mail to be queued', LONG)
          for (const step of steps) await step()
          await until(() => queued(portal, 1), 'the mail to be queued still', LONG)
          const returning = portal.browser()
          for (const [name, value] of trader.cookies) returning.cookies.set(name, value)
          expect(await returning.get('/api/user')).toMatchObject({ status: 200, body: { id: trader.id } })
          await mail.reconnect()
          await settled(1)
          expect(await subjects()).toEqual([`${trader.email} Reset your Proofdesk password`])
        },
        LONG,
      )

    it(
      'after Redis comes back empty, users sign in again and each mail is sent once',
      async () => {
        await begin()
        const [sent, waiting] = [await portal.trader(), await portal.trader()]
        await asksForMail(sent)
        await settled(1)
        await mail.disconnect()
        await asksForMail(waiting)
        await until(async () => (await portal.running.parts.outbox.counts()).waiting === 1, 'the mail to wait', LONG)
        await redis.kill()
        await redis.start()
        await mail.reconnect()
        // No request comes: the worker notices by itself that the queue is empty.
        await settled(2)
        expect(await subjects()).toEqual(
          [`${sent.email} Reset your Proofdesk password`, `${waiting.email} Reset your Proofdesk password`].toSorted(),
        )
        expect((await sent.get('/api/user')).status).toBe(401)
        await signsIn(sent)
        expect((await sent.get('/api/user')).body).toMatchObject({ id: sent.id })
      },
      LONG,
    )

    it(
      'an empty Redis is filled from the log: bans hold, sent mails stay sent',
      async () => {
        await begin()
        const [sent, waiting] = [await portal.trader(), await portal.trader()]
        const admin = await portal.admin()
        expect(
          (await admin.patch(`/api/admin/user/${sent.id}/ban`, { banned: true, banReason: 'Chargeback' })).status,
        ).toBe(200)
        await settled(1)
        await mail.disconnect()
        await asksForMail(waiting)
        await until(async () => (await portal.running.parts.outbox.counts()).waiting === 1, 'the mail to wait', LONG)
        await portal.stop()
        await redis.kill()
        await redis.start()
        await mail.reconnect()
        await open()
        await settled(2)
        expect((await subjects()).filter((line) => line.startsWith(sent.email))).toHaveLength(1)
        expect((await subjects()).filter((line) => line.startsWith(waiting.email))).toHaveLength(1)
        expect((await portal.browser().post('/api/login', { email: sent.email, password: sent.password })).status).toBe(
          403,
        )
      },
      LONG,
    )

    for (const keepsData of [false, true])
      it(
        `sends each mail once when Redis is killed ${keepsData ? 'with its data' : 'without its data'} or paused`,
        async () => {
          await begin(keepsData)
          const traders = await Promise.all(Array.from({ length: 5 }, () => portal.trader()))
          const hits = [
            async () => {
              await redis.kill()
              await redis.start()
            },
            async () => {
              await redis.pause()
              await refusedBy(portal)
              await redis.resume()
            },
          ]
          let requests = 0
          for (let round = 0; round < 3; round++) {
            for (const trader of traders) await asksForMail(trader)
            requests += traders.length
            // Some of them are on their way just now.
            await hits[round % hits.length]?.()
          }
          await until(() => settledNow(portal), 'the mail to settle', LONG)
          const links = (await portal.events()).filter(({ type }) => type === 'PasswordResetRequested')
          expect(links.length).toBeGreaterThanOrEqual(requests)
          const ids = (await deliveries()).map(({ messageId }) => messageId)
          expect(new Set(ids).size).toBe(ids.length)
          const isOnRecord = async (factId: string) => (await portal.events(`mail-${factId}`)).length
          // A later link leaves the earlier ones as they are: each is mailed.
          expect(ids).toHaveLength(links.length)
          expect(await Promise.all(links.map(({ id }) => isOnRecord(id)))).toEqual(links.map(() => 1))
        },
        2 * LONG,
      )
  },
)

/** All that the log gives rise to is queued and handed over. */
function settledNow(portal: Portal): Promise<boolean> {
  return queued(portal, 0)
}

/** So many mails wait, and all that the log gives rise to is queued. */
async function queued({ running }: Portal, count: number): Promise<boolean> {
  const { outbox, eventStore } = running.parts
  try {
    return (
      (await outbox.counts()).waiting === count && (await outbox.checkpoint()) === (await eventStore.checkpointAtEnd())
    )
  } catch {
    return false
  }
}

async function refusedBy({ running }: Portal): Promise<void> {
  await until(
    async () =>
      running.parts.sessionStore.ready().then(
        () => false,
        () => true,
      ),
    'Redis to be missed',
    LONG,
  )
}
