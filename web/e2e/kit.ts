import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser as Chromium, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import type { Browser as Client } from '#test-support/http-client.ts'
import { openPortal, type Portal, type PortalOptions } from '#test-support/portal.ts'
import { seededRandom, triesAll } from '#test-support/random-seed.ts'
import { chromiumFlags, findChromium } from './chromium.ts'
import { writeCyrillic } from './keyboard.ts'
import { watchReach } from './reach.ts'
import { translateTexts } from './translated.ts'

/** Browser tests share a portal, pages of any size and theme, and a check for problems that must never occur. */

const widths = { desktop: 1280, phone: 390 } as const
type Theme = 'light' | 'dark'
/** Each differs from the one before in one thing, which draws the page again. */
const looks: readonly (readonly [number, Theme])[] = [
  [widths.desktop, 'light'],
  [widths.desktop, 'dark'],
  [widths.phone, 'dark'],
  [widths.phone, 'light'],
]
const random = seededRandom()

/** A phone held sideways, at any width that a test asks for. */
const isWindowLow = process.env['WINDOW'] === 'low'
/** Text of 200 %, as people set it in their browser. */
const isTextLarge = process.env['TEXT'] === 'large'
/** Less is in sight than tests expect of a desktop or a phone. */
export const isCramped = isWindowLow || isTextLarge
const isCyrillic = process.env['KEYBOARD'] === 'cyrillic'

export interface VisitOptions {
  /** In px, 1280 by default. */
  readonly width?: number
  /** What is tested is there from this width on: a low window is as wide. */
  readonly minWidth?: number
  readonly theme?: Theme
  /** The signed-in client, from `portal.trader()` or `portal.admin()`. */
  readonly as?: Client
  /** Another server of the app than the portal itself. */
  readonly at?: string
}

/** A browser window with its own cookies. */
export type Visit = Awaited<ReturnType<typeof visit>>

export interface Site {
  readonly portal: Portal
  /** Opens a window until the end of the test. Any problem in it fails the test. */
  visit(options?: VisitOptions): Promise<Visit>
}

const executable = findChromium()

/** Tests in a real browser against the real server. Without Chromium they are skipped. */
export function describeSite(name: string, tests: (site: Site) => void, options: PortalOptions = {}): void {
  const title = executable === undefined ? `${name} (skipped: no Chromium, set CHROME_PATH)` : name
  describe.skipIf(executable === undefined)(title, () => {
    let portal: Portal | undefined
    let browser: Chromium | undefined
    beforeAll(async () => {
      ;[portal, browser] = await Promise.all([openPortal(options), sharedBrowser()])
    })
    afterAll(() => portal?.stop())
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

const mouse = 'primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4'

/** One Chromium for all files of a worker. It ends with the worker, and each test has its own context. */
async function sharedBrowser(): Promise<Chromium> {
  // Pages live for seconds here: to compile code once more, so that it runs faster, takes more time than it saves.
  const args = [...chromiumFlags, '--js-flags=--no-opt --no-maglev']
  // Chromium takes only the last such list, so this one repeats Playwright's: without it there is no mouse.
  if (isTextLarge) args.push(`--blink-settings=${mouse},defaultFontSize=32`)
  launched ??= chromium.launch({ ...(executable !== undefined && { executablePath: executable }), args })
  return launched
}
let launched: Promise<Chromium> | undefined

/** Signs in with the form of a page that shows it. */
export async function signIn(
  page: Page,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
}

/** Waits for the toast which says that what was typed is here again. It is read out once more, outside the toasts. */
export async function typedTextIsBack(page: Page): Promise<void> {
  const toasts = page.getByRole('region', { name: /Notification/ })
  await toasts.getByText('What you typed is here again', { exact: true }).waitFor()
}

/** Opens the side menu, which has the links and buttons of the bar at the top where the window is narrow. */
export async function openNavigation(page: Page): Promise<void> {
  await page.getByRole('banner').waitFor()
  const opens = page.getByRole('button', { name: 'Open menu' })
  if ((await opens.isVisible()) && !(await sideMenu(page).isVisible())) await opens.click()
}
const sideMenu = (page: Page) => page.getByRole('dialog', { name: 'Menu' })

/** Opens the filters and the export of a list that are behind a button: all of them where the window is narrow. */
export async function openFilters(page: Page): Promise<void> {
  // A wide window hides it.
  const opens = page.getByRole('button', { name: /^Filters/, includeHidden: true })
  await opens.waitFor({ state: 'attached' })
  if ((await opens.isVisible()) && (await opens.getAttribute('aria-expanded')) === 'false') await opens.press('Enter')
}

/** Waits for a link of the navigation, and closes the side menu again if it had to open it. */
export async function seeInNavigation(page: Page, link: string | RegExp): Promise<void> {
  await openNavigation(page)
  await page.getByRole('navigation').getByRole('link', { name: link }).waitFor()
  if (!(await sideMenu(page).isVisible())) return
  await page.keyboard.press('Escape')
  await sideMenu(page).waitFor({ state: 'hidden' })
}

/** Holds the requests of a page to matching addresses until the returned function is called. */
export async function hold(
  page: Page,
  addresses: string,
): Promise<{ readonly isAsked: Promise<void>; readonly release: () => void }> {
  let [release, request] = [() => {}, () => {}]
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  const isAsked = new Promise<void>((resolve) => (request = resolve))
  await page.route(addresses, async (route) => {
    request()
    await isReleased
    // A request that the page has cancelled is gone.
    await route.continue().catch(() => {})
  })
  return { isAsked, release }
}

/** A phone or security key of the page's browser that confirms its user by itself. */
export async function withPasskeys(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, automaticPresenceSimulation: true },
  })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** From the narrowest phone in use to a small laptop. */
export const narrowWidths = [320, 390, 768, 1024] as const

const viewportOf = (width: number, minWidth = 0) =>
  isWindowLow ? { width: Math.max(640, minWidth), height: 360 } : { width, height: width < 768 ? 844 : 800 }

async function visit(
  browser: Chromium,
  portal: string,
  { width = widths.desktop, minWidth, theme = 'light', as, at: url = portal }: VisitOptions = {},
) {
  const context = await browser.newContext({
    baseURL: url,
    viewport: viewportOf(width, minWidth),
    colorScheme: theme,
    // Colours in the middle of a transition would fail the contrast check.
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(60_000)
  if (as) await context.addCookies([...as.cookies].map(([name, value]) => ({ name, value, url })))
  const page = await context.newPage()
  const problems: string[] = []
  const allowed = new Set<number>()
  let networkErrorsAllowed = false
  context.on('console', (message) => {
    const [, status] = /server responded with a status of (\d{3})/.exec(message.text()) ?? []
    // A container that starts or ends on this machine changes its network, and Chromium ends its requests.
    if (message.text().includes('net::ERR_NETWORK_CHANGED')) return
    if (
      networkErrorsAllowed &&
      /net::ERR_|Failed to fetch|dynamically imported module|CodeMissing|The server could not be reached/.test(
        message.text(),
      )
    )
      return
    if (['error', 'warning'].includes(message.type()) && !(status !== undefined && allowed.has(Number(status))))
      problems.push(`console: ${message.text()} ${message.location().url}`)
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
  if (process.env['TRANSLATED'] !== undefined) await context.addInitScript(translateTexts)
  if (isCramped) await context.addInitScript(watchReach)
  if (isCyrillic) await context.addInitScript(writeCyrillic)
  onTestFinished(async () => {
    await context.close()
    expect(problems).toEqual([])
  })

  const nextFrame = () =>
    page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  const resize = async (to: number) => {
    const viewport = viewportOf(to, minWidth)
    if (page.viewportSize()?.width === viewport.width) return
    await page.setViewportSize(viewport)
    await nextFrame()
  }
  let currentTheme = theme
  const switchTheme = async (to: Theme) => {
    if (currentTheme === to) return
    currentTheme = to
    await page.emulateMedia({ colorScheme: to })
    await nextFrame()
  }
  const look = () => `${page.url()} at ${page.viewportSize()?.width} px, ${currentTheme}`
  const expectAccessible = async () => {
    // What axe looks at is the same there.
    if (isCramped) return
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
    // axe then describes no element that passes a rule, which takes most of its time.
    const violations: unknown = await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join('; ')))`)
    expect(violations, look()).toEqual([])
  }
  const expectFits = async () => {
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    // Those go on to the other screens: one change for all of them mends most.
    const expectOne = isCramped ? expect.soft : expect
    expectOne(excess, `px too wide: ${look()}`).toBeLessThanOrEqual(0)
    if (isCramped) expectOne(await page.evaluate(() => window.outOfReach()), look()).toEqual([])
  }
  return {
    page,
    context,
    /** Console errors, violations of the security policy and requests to other sites so far. */
    problems,
    /** The test cuts the connection: console errors about failed requests are no problem. */
    allowNetworkErrors: () => (networkErrorsAllowed = true),
    /** The server refuses a request on purpose: the console error about this status is no problem. */
    allowStatus: (...statuses: readonly number[]) => statuses.forEach((status) => allowed.add(status)),
    /** Opens a path and waits for its heading. */
    async open(path: string) {
      await page.goto(path)
      // Not by its role: a dialog that the address opens makes the page behind it inert.
      await page.locator('h1').first().waitFor({ state: 'attached' })
    },
    /**
     * Goes to a path as a link of the open page does: nothing is loaded again. The test waits for what the path shows.
     */
    async follow(path: string) {
      await page.evaluate((to) => history.pushState(null, '', to), path)
      await nextFrame()
    },
    /** @throws when axe finds a violation on the page in its current state. */
    expectAccessible,
    /** @throws when the page scrolls sideways at its current width or one of these. */
    async expectNoSidewaysScroll(...others: readonly number[]) {
      await expectFits()
      for (const other of isWindowLow ? [] : others) {
        // That would be the text of a window of 160 px.
        if (isTextLarge && other < widths.phone) continue
        await resize(other)
        await expectFits()
      }
      await resize(width)
    },
    /**
     * On desktop in one theme, on a phone in the other, by seed; in test:long in all four looks.
     *
     * @throws when axe finds a violation or the page scrolls sideways.
     */
    async expectGoodLook() {
      // After a click that leads elsewhere, the page may still be loading.
      await page.locator('h1').first().waitFor({ state: 'attached' })
      // The rows before are pale while others load.
      await page.locator('table[aria-busy]').first().waitFor({ state: 'detached' })
      await nextFrame()
      const first = random.whole(0, 1)
      for (const [other, look] of looks.filter((_, n) => (triesAll && !isCramped) || n % 2 === first)) {
        await resize(other)
        await expectFits()
        await switchTheme(look)
        await expectAccessible()
      }
      await switchTheme(theme)
      await resize(width)
    },
    /** Waits for a toast with this text. */
    async expectToast(title: string, description?: string) {
      const toast = page.getByRole('region', { name: /Notification/ }).getByRole('listitem')
      await toast.getByText(title, { exact: true }).waitFor()
      if (description !== undefined) await toast.getByText(description, { exact: true }).waitFor()
      expect(await toast.count()).toBe(1)
    },
  }
}
