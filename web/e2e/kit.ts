import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium, type Browser as Chromium, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import type { Browser as Client } from '../../test-support/http-client.ts'
import { openPortal, type Portal, type PortalOptions } from '../../test-support/portal.ts'
import { chromiumFlags, findChromium } from './chromium.ts'

/** What browser tests share: a portal, pages at a size and theme, and a watch on everything that must never happen. */

export const widths = { desktop: 1280, phone: 390 } as const
export type Theme = 'light' | 'dark'

export interface VisitOptions {
  /** In px; 1280 unless said. */
  readonly width?: number
  readonly theme?: Theme
  /** Who is signed in: what `portal.trader()` or `portal.admin()` answered. */
  readonly as?: Client
}

/** A browser window of its own, with cookies of its own. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Opens a path and waits until its heading is there. */
  open(path: string): Promise<void>
  /** What went wrong so far: console errors, reports of the security policy, requests to other sites. */
  readonly problems: string[]
  /** The server will refuse something that is asked on purpose: the browser's own line about such a status is no problem. */
  allowStatus(...statuses: readonly number[]): void
  /** @throws when axe finds a violation on the page as it is. */
  expectAccessible(): Promise<void>
  /** @throws when the page scrolls sideways. */
  expectNoSidewaysScroll(): Promise<void>
  /** The toast, by what it says. */
  expectToast(title: string, description?: string): Promise<void>
}

export interface Site {
  readonly portal: Portal
  /** A window that is closed after the test; whatever went wrong in it fails the test. */
  visit(options?: VisitOptions): Promise<Visit>
}

const executable = findChromium()
if (executable === undefined && process.env['CI'] === 'true') throw new Error('Browser tests need Chromium: set CHROME_PATH or install chromium')

/** Tests in a real browser against the real server. Without Chromium they are skipped, with CI=true they fail. */
export function describeSite(name: string, tests: (site: Site) => void, options: PortalOptions = {}): void {
  const title = executable === undefined ? `${name} (skipped: no Chromium, set CHROME_PATH)` : name
  describe.skipIf(executable === undefined)(title, () => {
    let portal: Portal | undefined
    let browser: Chromium | undefined
    beforeAll(async () => {
      portal = await openPortal(options)
      browser = await chromium.launch({ ...(executable !== undefined && { executablePath: executable }), args: chromiumFlags })
    })
    afterAll(async () => {
      await browser?.close()
      await portal?.stop()
    })
    tests({
      get portal() {
        if (!portal) throw new Error('The portal is open in tests only')
        return portal
      },
      visit: (visitOptions) => {
        if (!portal || !browser) throw new Error('The browser is open in tests only')
        return visit(browser, portal.url, visitOptions)
      },
    })
  })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function visit(browser: Chromium, url: string, { width = widths.desktop, theme = 'light', as }: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width < 768 ? 844 : 800 },
    colorScheme: theme,
    // What is looked at is there at once: colours half way are no colours.
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(15_000)
  if (as) await context.addCookies([...as.cookies].map(([name, value]) => ({ name, value, url })))
  const page = await context.newPage()
  const problems: string[] = []
  const allowed = new Set<number>()
  context.on('console', (message) => {
    const [, status] = /server responded with a status of (\d{3})/.exec(message.text()) ?? []
    if (message.type() === 'error' && !(status !== undefined && allowed.has(Number(status)))) problems.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => problems.push(`error: ${error.error().message}`))
  context.on('request', (request) => {
    const address = request.url()
    if (/^https?:/.test(address) && !address.startsWith(url)) problems.push(`foreign request: ${address}`)
  })
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`security policy: ${violatedDirective} ${blockedURI}`),
    ),
  )
  onTestFinished(async () => {
    await context.close()
    expect(problems).toEqual([])
  })

  return {
    page,
    context,
    problems,
    allowStatus: (...statuses) => statuses.forEach((status) => allowed.add(status)),
    async open(path) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
    },
    async expectAccessible() {
      await page.evaluate(axe)
      const found: unknown = await page.evaluate(`axe.run().then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join('; ')))`)
      expect(found, page.url()).toEqual([])
    },
    async expectNoSidewaysScroll() {
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      expect(over, `px that ${page.url()} is too wide`).toBeLessThanOrEqual(0)
    },
    async expectToast(title, description) {
      const toast = page.getByRole('region', { name: /Notification/ }).getByRole('listitem')
      await toast.getByText(title, { exact: true }).waitFor()
      if (description !== undefined) await toast.getByText(description, { exact: true }).waitFor()
      expect(await toast.count()).toBe(1)
    },
  }
}

/** Every screen is looked at in these. */
export const looks: readonly { readonly theme: Theme; readonly width: number }[] = [
  { theme: 'light', width: widths.desktop },
  { theme: 'dark', width: widths.desktop },
  { theme: 'light', width: widths.phone },
  { theme: 'dark', width: widths.phone },
]
