import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Trader } from '#test-support/portal.ts'
import { describeSite, signIn, withPasskeys } from './kit.ts'

const TIMES = 40
/** 400 kbit/s in bytes, and ms until an answer begins. */
const SLOW = { downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 400, offline: false }

const FACTORS = '/api/user/factors'
const Setup = z.object({ key: z.string(), setup: z.string() })
const Codes = z.object({ codes: z.tuple([z.string()], z.string()) })

/** Adds an authenticator app. Returns the code that it shows next. */
async function addApp(trader: Trader): Promise<string> {
  const { key, setup } = Setup.parse((await trader.get(`${FACTORS}/authenticator`)).body)
  const app = new TOTP({ secret: Secret.fromBase32(key) })
  expect((await trader.post(`${FACTORS}/authenticator`, { setup, code: app.generate() })).status).toBe(200)
  return app.generate({ timestamp: Date.now() + 30_000 })
}

const enterCode = async (page: Page, code: string) => {
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.keyboard.press('Enter')
}

/** Each adds a factor for a trader, and returns how the person in front of the page uses it. */
const kinds: Readonly<Record<string, (trader: Trader, page: Page) => Promise<() => Promise<void>>>> = {
  'code of an app': async (trader, page) => {
    const code = await addApp(trader)
    return () => enterCode(page, code)
  },
  'recovery code': async (trader, page) => {
    await addApp(trader)
    const { codes } = Codes.parse((await trader.post(`${FACTORS}/recovery-codes`)).body)
    return () => enterCode(page, codes[0])
  },
  passkey: async (trader, page) => {
    await withPasskeys(page)
    await page.goto('/auth')
    await signIn(page, trader)
    await page.getByRole('heading', { level: 1, name: /Ada/ }).waitFor()
    await page.goto('/settings')
    await page.getByRole('button', { name: 'Add Passkey' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Phone')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('list', { name: 'Passkeys' }).getByText('Phone').waitFor()
    await page.context().clearCookies()
    return () => page.getByRole('button', { name: 'Use a passkey' }).click()
  },
}

describeSite(
  'a sign-in with a second factor at 390 px and 400 kbit/s',
  (site) => {
    it.each(Object.keys(kinds))(`succeeds ${TIMES} times with a %s`, { timeout: TIMES * 60_000 }, async (kind) => {
      for (let time = 0; time < TIMES; time++) {
        const trader = await site.portal.trader()
        const { page, context, allowStatus } = await site.visit({ width: 390 })
        allowStatus(401, 403)
        const proveWho = await kinds[kind]?.(trader, page)
        const devtools = await context.newCDPSession(page)
        await devtools.send('Network.enable')
        await devtools.send('Network.emulateNetworkConditions', SLOW)
        await page.goto('/auth')
        await signIn(page, trader)
        await page.getByRole('heading', { level: 1, name: 'Confirm it is you' }).waitFor()
        await proveWho?.()
        await page.getByRole('heading', { level: 1, name: /Ada/ }).waitFor()
        expect(await page.getByText('Session ended').count()).toBe(0)
        await context.close()
      }
    })
  },
  { environment: { HOST: 'localhost' } },
)
