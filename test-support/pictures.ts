import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { z } from 'zod'
import { chromiumFlags, findChromium } from '../web/e2e/chromium.ts'
import { startDemo } from '../demo/demo.ts'
import { DEMO_PASSWORD, demoKeys } from '../demo/demo-firm.ts'

/** Takes the pictures of the documentation from a new demo: `npm run pictures`. */

const FOLDER = join(import.meta.dirname, '../docs/pictures')
const [desktop, phone] = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)

interface Picture {
  readonly name: string
  /** The email of a trader; staff without it. */
  readonly trader?: string
  readonly size?: { readonly width: number; readonly height: number }
  readonly theme?: 'light' | 'dark'
  show(page: Page): Promise<void>
}

const email = (name: string) => `${name}@example.com`

/** Opens a page, and waits for a text of what it loads. */
async function open(page: Page, path: string, text: string | RegExp): Promise<void> {
  await page.goto(path)
  await page.getByText(text).filter({ visible: true }).first().waitFor()
}

/** The account page of the audit about a trader. */
async function openAudit(page: Page, trader: string): Promise<void> {
  const found = z.array(z.object({ id: z.string() }))
  const users = await page.request.get(`/api/admin/users?search=${encodeURIComponent(email(trader))}`)
  await open(page, `/admin/audit/${found.parse(await users.json())[0]?.id}`, 'Timeline')
}

const pictures: readonly Picture[] = [
  {
    name: 'trader-dashboard',
    trader: email('amelia.whitfield'),
    size: { width: 1280, height: 1010 },
    show: (page) => open(page, '/', 'Maximum Loss'),
  },
  {
    name: 'trader-dashboard-phone',
    trader: email('kenji.tanaka'),
    size: phone,
    theme: 'dark',
    show: (page) => open(page, '/', 'Maximum Loss'),
  },
  {
    name: 'trader-history',
    trader: email('amelia.whitfield'),
    show: (page) => open(page, '/history', /Payout approved/),
  },
  {
    name: 'findings',
    async show(page) {
      await open(page, '/admin/findings', /Fatou Diallo/)
      await page.locator('[data-row]').first().waitFor()
      await page.keyboard.press('j')
    },
  },
  {
    name: 'programme',
    size: { width: 1280, height: 1010 },
    async show(page) {
      await open(page, '/admin/programmes', 'Sprint 50K')
      const programmes = page.getByRole('table', { name: 'Programmes' })
      await programmes.getByRole('link', { name: 'Sprint 50K' }).click()
      await page.getByText('Evaluation').first().waitFor()
    },
  },
  {
    name: 'import',
    size: { width: 1280, height: 1180 },
    async show(page) {
      await open(page, '/admin/imports', 'Done')
      await page.locator('[data-row]', { hasText: 'Done' }).getByRole('link').click()
      await page.getByText(/known with other content/).waitFor()
    },
  },
  {
    name: 'payout-management',
    async show(page) {
      await open(page, '/admin/payouts', 'Oliver Patel')
      await page.keyboard.press('j')
    },
  },
  {
    name: 'payout-verdict',
    theme: 'dark',
    async show(page) {
      await open(page, '/admin/payouts?search=oliver.patel', 'Oliver Patel')
      await page.locator('[data-row]').first().waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('a')
      await page.getByRole('dialog', { name: 'Approve payout' }).getByText('Other payouts of this trader').waitFor()
    },
  },
  { name: 'audit-timeline', show: (page) => openAudit(page, 'amelia.whitfield') },
  {
    name: 'audit-two-moments',
    size: { width: 1280, height: 1180 },
    async show(page) {
      await openAudit(page, 'johanna.bohm')
      await page.getByText('Compare', { exact: true }).first().click()
      await page.getByText(/differ/).waitFor()
    },
  },
]

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { name, trader, size = desktop, theme = 'light', show } = picture
  const context = await browser.newContext({
    ...{ baseURL: url, viewport: size, colorScheme: theme, timezoneId: 'UTC', locale: 'en-US' },
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(20_000)
  try {
    const [path, data] =
      trader === undefined
        ? ['/api/admin/login', { accessKey: demoKeys[0].accessKey }]
        : ['/api/login', { email: trader, password: DEMO_PASSWORD }]
    const answer = await context.request.post(path, { data })
    if (!answer.ok()) throw new Error(await answer.text())
    const page = await context.newPage()
    await show(page)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(FOLDER, `${name}.png`) })
    say(name)
  } catch (error) {
    say(`${name} could not be taken: ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
  } finally {
    await context.close()
  }
}

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('There is no Chromium: set CHROME_PATH, or install chromium')
const only = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'proofdesk-pictures-'))
const demo = await startDemo({
  variables: { DATA_DIR: join(folder, 'demo'), HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' },
  say,
})
const browser = await chromium.launch({ executablePath, args: [...chromiumFlags] })
try {
  for (const picture of pictures)
    if (only.length === 0 || only.includes(picture.name)) await take(browser, demo.address, picture)
} finally {
  await browser.close()
  await demo.stop()
  await rm(folder, { recursive: true, force: true })
}
