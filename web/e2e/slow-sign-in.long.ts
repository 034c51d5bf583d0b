import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Browser as Client } from '#test-support/http-client.ts'
import type { Portal, Trader } from '#test-support/portal.ts'
import { describeSite, signIn, withPasskeys } from './kit.ts'

const TIMES = 40
const AT_ONCE = 4
/** 400 kbit/s in bytes, and ms until an answer begins. */
const SLOW = { downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 400, offline: false }

const FACTORS = '/api/user/factors'
const Setup = z.object({ key: z.string(), setup: z.string() })
const Codes = z.object({ codes: z.tuple([z.string()], z.string()) })

/** Adds an authenticator app. Returns the code that it shows next. */
async function addApp(person: Client, factors: string): Promise<string> {
  const { key, setup } = Setup.parse((await person.get(`${factors}/authenticator`)).body)
  const app = new TOTP({ secret: Secret.fromBase32(key) })
  expect((await person.post(`${factors}/authenticator`, { setup, code: app.generate() })).status).toBe(200)
  return app.generate({ timestamp: Date.now() + 30_000 })
}

/** Adds a passkey of the page's browser in the settings, and signs out. */
async function addPasskey(page: Page, trader: Trader): Promise<void> {
  await withPasskeys(page)
  await page.goto('/auth')
  await signIn(page, trader)
  await home(page)
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Add Passkey' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Phone')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Phone').waitFor()
  await page.context().clearCookies()
}

const home = (page: Page) => page.getByRole('heading', { level: 1, name: /Ada/ }).waitFor()
const secondStep = (page: Page) => page.getByRole('heading', { level: 1, name: 'Confirm it is you' }).waitFor()

const enterCode = async (page: Page, code: string) => {
  await secondStep(page)
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.keyboard.press('Enter')
}

async function signInAsStaff(page: Page, accessKey: string): Promise<void> {
  await page.getByRole('button', { name: 'Admin Login' }).click()
  await page.getByLabel('Access Key').fill(accessKey)
  await page.keyboard.press('Enter')
}

const staffHome = (page: Page) => page.waitForURL('**/admin/dashboard')

/** Each prepares a person with a factor, and returns what the person then does on the sign-in page. */
const kinds: Readonly<Record<string, (portal: Portal, page: Page) => Promise<() => Promise<unknown>>>> = {
  'a password': async (portal, page) => {
    const trader = await portal.trader()
    return async () => {
      await signIn(page, trader)
      await home(page)
    }
  },
  'a code of an app': async (portal, page) => {
    const trader = await portal.trader()
    const code = await addApp(trader, FACTORS)
    return async () => {
      await signIn(page, trader)
      await enterCode(page, code)
      await home(page)
    }
  },
  'a recovery code': async (portal, page) => {
    const trader = await portal.trader()
    await addApp(trader, FACTORS)
    const { codes } = Codes.parse((await trader.post(`${FACTORS}/recovery-codes`)).body)
    return async () => {
      await signIn(page, trader)
      await enterCode(page, codes[0])
      await home(page)
    }
  },
  'a passkey after the password': async (portal, page) => {
    const trader = await portal.trader()
    await addPasskey(page, trader)
    return async () => {
      await signIn(page, trader)
      await secondStep(page)
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await home(page)
    }
  },
  'a passkey alone': async (portal, page) => {
    await addPasskey(page, await portal.trader())
    return async () => {
      await page.getByRole('button', { name: 'Login with a passkey' }).click()
      await home(page)
    }
  },
  'an access key': async (portal, page) => {
    const { accessKey } = await portal.member('payouts')
    return async () => {
      await signInAsStaff(page, accessKey)
      await staffHome(page)
    }
  },
  'an access key and a code': async (portal, page) => {
    const member = await portal.member('payouts')
    const code = await addApp(member, '/api/admin/auth/factors')
    return async () => {
      await signInAsStaff(page, member.accessKey)
      await enterCode(page, code)
      await staffHome(page)
    }
  },
}

describeSite(
  'a sign-in at 390 px and 400 kbit/s',
  (site) => {
    const signInOnce = async (kind: string) => {
      const { page, context, allowStatus } = await site.visit({ width: 390 })
      allowStatus(401, 403)
      const signInBySomething = await kinds[kind]?.(site.portal, page)
      const devtools = await context.newCDPSession(page)
      await devtools.send('Network.enable')
      // To add a passkey has loaded the app already.
      await devtools.send('Network.clearBrowserCache')
      await devtools.send('Network.emulateNetworkConditions', SLOW)
      await page.goto('/auth')
      await signInBySomething?.()
      expect(await page.getByText('Session ended').count()).toBe(0)
      await context.close()
    }

    it.each(Object.keys(kinds))(`succeeds ${TIMES} times with %s`, { timeout: TIMES * 60_000 }, async (kind) => {
      // The connections are slow, not the machine: several people sign in at the same time.
      for (let begun = 0; begun < TIMES; begun += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, () => signInOnce(kind)))
    })
  },
  { environment: { HOST: 'localhost' } },
)
