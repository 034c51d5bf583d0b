import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeSite, openNavigation, type VisitOptions } from './kit.ts'
import { tradingAccount } from './trading.ts'

const payoutsOf = z.array(z.object({ id: z.string() }))
const standingShape = z.looseObject({})

const marker = (number: number, at: string, type: string, label: string, became: object = {}) => ({
  number,
  at,
  type,
  label,
  by: 'admin',
  name: null,
  reason: null,
  stream: 'account',
  why: null,
  amount: null,
  to: null,
  corrects: null,
  ...became,
})
const point = (number: number, at: string, balance: string, traded: string) => ({
  at,
  number,
  balance,
  profitLoss: '0.00',
  traded,
})
const day = (date: string, closing: string, result: string) => ({ date, closing, result })
const figures = {
  ...{ result: '280.00', best: null, worst: null, winningDays: 1, losingDays: 1, deepestFall: '120.00' },
  curve: {
    ...{ from: '2026-03-01T10:00:00Z', balance: '10000.00', index: 1, movedOtherwise: true },
    traded: ['400.00', '400.00', '280.00'],
  },
}
/** Nine days of an account with the balance and limits of `tradingAccount`. */
const nineDays = {
  points: [
    point(2, '2026-03-01T10:00:00Z', '10000.00', '0.00'),
    point(3, '2026-03-05T10:00:00Z', '10400.00', '400.00'),
    point(4, '2026-03-06T10:00:00Z', '10000.00', '400.00'),
    point(8, '2026-03-08T10:00:00Z', '9880.00', '280.00'),
  ],
  days: [
    day('2026-03-01', '10000.00', '0.00'),
    day('2026-03-05', '10400.00', '400.00'),
    day('2026-03-06', '10000.00', '0.00'),
    day('2026-03-08', '9880.00', '-120.00'),
  ],
  periods: { '7d': figures, '30d': figures, '90d': figures, all: figures },
  markers: [
    marker(4, '2026-03-06T10:00:00Z', 'PhaseChanged', 'Phase: Phase 1 to Phase 2', { to: 'Phase 2' }),
    marker(5, '2026-03-06T10:30:00Z', 'PayoutApproved', 'Payout approved: $400.00', { amount: '400.00' }),
    marker(6, '2026-03-06T11:00:00Z', 'PhaseChanged', 'Phase: Phase 2 to Funded', { to: 'Funded' }),
    marker(7, '2026-03-07T10:00:00Z', 'TraderNoted', 'Note added'),
    marker(9, '2026-03-10T10:00:00Z', 'AccountStatusChanged', 'Status: Active to Breached', { to: 'breached' }),
  ],
  olderMarkers: 0,
}
const rule = (kind: string, figures: object) => ({
  kind,
  state: 'kept',
  amount: '1.00',
  lost: '0.00',
  event: 1,
  ...figures,
})
/** Where it stood on 10 March. */
const onTenthDay = {
  at: '2026-03-10T12:00:00Z',
  day: '2026-03-10',
  dayStartedAt: '2026-03-10T00:00:00Z',
  resetsAt: '2026-03-11T00:00:00Z',
  began: { at: '2026-03-06T10:00:00Z', balance: '10000.00' },
  rules: [
    rule('maximum-loss', { floor: '9000.00', room: '880.00' }),
    rule('daily-loss', { floor: '9380.00', room: '500.00' }),
    rule('profit-target', { target: '11000.00', missing: '1120.00' }),
  ],
}

/** The colour of the theme that the page shows now, as the canvas has it: '79,70,229'. */
const colourOf = (page: Page, name: string) =>
  page.evaluate((property) => {
    const sample = document.createElement('canvas').getContext('2d')
    if (!sample) throw new Error('No canvas')
    const text = document.body.appendChild(document.createElement('p'))
    text.style.color = property
    sample.fillStyle = getComputedStyle(text).color
    text.remove()
    sample.fillRect(0, 0, 1, 1)
    return sample.getImageData(0, 0, 1, 1).data.slice(0, 3).join()
  }, `var(--color-${name})`)

/** How many pixels of the chart have this colour. */
const pixelsIn = (page: Page, colour: string) =>
  page.locator('figure canvas').evaluate((canvas, wanted) => {
    if (!(canvas instanceof HTMLCanvasElement)) throw new Error('No canvas')
    // A copy that is meant to be read: the browser warns of reading the chart's own again and again.
    const context = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
    if (!context) throw new Error('No context')
    context.drawImage(canvas, 0, 0)
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
    const [red, green, blue] = wanted.split(',').map(Number)
    return data.filter(
      (value, index) => index % 4 === 0 && value === red && data[index + 1] === green && data[index + 2] === blue,
    ).length
  }, colour)

describeSite('the trader dashboard', (site) => {
  const trading = (changes?: object) => tradingAccount(site.portal, changes)
  /** An account that all tests here only look at. */
  let shared: ReturnType<typeof trading> | undefined
  const sharedAccount = () => (shared ??= trading())

  it('shows first where the account ends, how far that is and until when, and at a stamp with the focus who decided', async () => {
    const { trader } = await sharedAccount()
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    const daily = page.getByRole('meter', { name: 'Lost: Daily Drawdown' })
    await daily.waitFor()
    expect(await daily.getAttribute('aria-valuetext')).toBe('$120.00 of $500.00 lost')
    expect(await page.getByRole('meter', { name: 'Lost: Maximum Loss' }).getAttribute('aria-valuetext')).toBe(
      '$120.00 of $1,000.00 lost',
    )
    for (const text of ['$380.00 away', 'Breach at $9,500.00', '$880.00 away', 'Breach at $9,000.00'])
      await page.getByText(text, { exact: true }).waitFor()
    await page.getByText('$120.00 lost of $500.00. Limit: 5% / $500').waitFor()
    await page.getByText(/^Today, until 00:00 UTC/).waitFor()
    await page.getByText('-$120.00').first().waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe("Ada's Dashboard")
    expect(await page.getByRole('progressbar', { name: 'Profit Target' }).getAttribute('aria-valuenow')).toBe('0')
    await page.keyboard.press('Tab')
    await page
      .getByRole('link', { name: /^#\d+ · \d+ \w{3} \d\d:\d\d UTC$/ })
      .first()
      .focus()
    await page.getByRole('tooltip').getByText('By an administrator').waitFor()
  })

  it('says so when the room left cannot be loaded, and reads it again on request', async () => {
    const { trader } = await sharedAccount()
    const { page, allowStatus } = await site.visit({ as: trader })
    allowStatus(404)
    await page.route('**/api/user/account/standing*', (route) =>
      route.fulfill({ status: 404, json: { message: 'Not there' } }),
    )
    await page.goto('/')
    const maximum = page.locator('section', { has: page.getByRole('heading', { name: 'Maximum Loss', exact: true }) })
    await maximum.getByText('The limit. The room left could not be loaded.').waitFor()
    expect(await page.getByRole('meter').count()).toBe(0)
    await page.unroute('**/api/user/account/standing*')
    await maximum.getByRole('button', { name: 'Try again' }).click()
    await maximum.getByText('$880.00 away', { exact: true }).waitFor()
  })

  it('shows a text-only limit without a meter', async () => {
    const { trader } = await trading({ dailyDrawdownLimit: 'As agreed by mail', overallLossLimit: null })
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    await page.getByText('As agreed by mail', { exact: true }).waitFor()
    await page.getByText('Not set', { exact: true }).waitFor()
    expect(await page.getByRole('meter').count()).toBe(0)
  })

  it('shows profit in green with a plus, and the target', async () => {
    const { trader } = await trading({ balance: '10250.00', profitLoss: '250.00' })
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    const progress = page.getByRole('progressbar', { name: 'Profit Target' })
    await progress.waitFor()
    expect(await progress.getAttribute('aria-valuenow')).toBe('25')
    await page.getByText('$750.00', { exact: true }).waitFor()
    const profit = page.getByText('+$250.00', { exact: true }).first()
    expect(await profit.getAttribute('class')).toContain('text-good')
  })

  it('keeps the placeholders for an account without history', async () => {
    const trader = await site.portal.trader()
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    await page.getByText('Your trading performance will be displayed here when available').waitFor()
    const steps = page.locator('section', { has: page.getByRole('heading', { name: 'First steps' }) })
    await expect.poll(() => steps.getByRole('listitem').count()).toBe(3)
    const profit = page.locator('section', { has: page.getByRole('heading', { name: 'Profit/Loss', exact: true }) })
    expect(await profit.getByText('$0.00', { exact: true }).getAttribute('class')).toContain('text-bad')
    await page.getByRole('tab', { name: 'Performance' }).click()
    await page.getByText('Your profit and loss data will be displayed here when available').waitFor()
    await page.getByText('Your risk analytics will be displayed here when available').waitFor()
    await page.getByRole('tab', { name: 'Overview' }).click()
    await steps.getByRole('link', { name: 'Account Details' }).click()
    await page.getByRole('tab', { name: 'Account Details', selected: true }).waitFor()
  })

  it('draws the balance, with its range in the URL and a table for screen readers, and reads it aloud by arrow keys', async () => {
    const { trader } = await sharedAccount()
    const { page, open, expectAccessible } = await site.visit({ as: trader })
    await open('/')
    await page.getByRole('img', { name: /^Account balance from .* to \$9,880\.00$/ }).waitFor()
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
    await expect
      .poll(() =>
        page.getByRole('table', { name: 'Decisions in this period' }).getByText('Status: Pending to Active').count(),
      )
      .toBe(1)
    const slider = page.getByRole('slider', { name: 'Read the balance moment by moment' })
    const said = () => slider.getAttribute('aria-valuetext')
    await slider.focus()
    expect(await said()).toMatch(/^\d+ \w{3} \d\d:\d\d UTC, \$9,880\.00/)
    await page.locator('figure p', { hasText: '$9,880.00' }).waitFor()
    const last = await said()
    await page.keyboard.press('Home')
    const first = await said()
    expect(first).not.toBe(last)
    await page.keyboard.press('ArrowRight')
    expect(await said()).not.toBe(first)
    await expectAccessible()
    await page.getByRole('button', { name: '30 days' }).click()
    await page.waitForURL('/?range=30d')
    await page.reload()
    await page.getByRole('button', { name: '30 days', pressed: true }).waitFor()
  })

  /** Opens the dashboard on 10 March 2026, with a chart of nine days. */
  const visitNineDays = async (options: VisitOptions & { readonly zone?: string } = {}) => {
    const { trader } = await sharedAccount()
    const visit = await site.visit({ ...options, as: trader })
    const { page, context } = visit
    if (options.zone)
      await (await context.newCDPSession(page)).send('Emulation.setTimezoneOverride', { timezoneId: options.zone })
    await page.clock.setFixedTime('2026-03-10T12:00:00Z')
    await page.route('**/api/user/account/history', async (route) =>
      route.fulfill({ response: await route.fetch(), json: nineDays }),
    )
    await page.route('**/api/user/account/standing*', async (route) => {
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...standingShape.parse(await response.json()), ...onTenthDay } })
    })
    await visit.open('/')
    await page.getByText('Maximum Loss $9,000', { exact: true }).waitFor()
    return visit
  }

  it('names payouts, phases and levels on the chart where they have room, none above another', async () => {
    const { page } = await visitNineDays()
    const labels = page.locator('figure [aria-hidden] span')
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      await expect
        .poll(() =>
          page
            .locator('figure canvas')
            .evaluate((canvas) => canvas.clientWidth === canvas.closest('figure')?.clientWidth),
        )
        .toBe(true)
      // Two lines are full where the account became funded, and on a phone where it ended.
      const events = ['Phase 2', 'Payout $400.00', ...(width === 1280 ? ['Breached'] : [])]
      await expect
        .poll(() => labels.allInnerTexts())
        .toEqual([...events, 'Profit Target $11,000', 'Daily Drawdown $9,380', 'Maximum Loss $9,000'])
      const boxes = await labels.evaluateAll((found) =>
        found.map((label) => {
          const { left, right, top, bottom } = label.getBoundingClientRect()
          return { left, right, top, bottom }
        }),
      )
      const chart = await page.locator('figure').boundingBox()
      // Lines of text have some space between them: 3 px at the usual size of text.
      const space =
        (3 / 16) * (await page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)))
      for (const [index, { left, right, top, bottom }] of boxes.entries()) {
        expect(right).toBeLessThanOrEqual((chart?.x ?? 0) + (chart?.width ?? 0))
        for (const other of boxes.slice(index + 1))
          expect(
            left >= other.right || other.left >= right || top >= other.bottom - space || other.top >= bottom - space,
            `${width} px: ${JSON.stringify([boxes[index], other])}`,
          ).toBe(true)
      }
    }
  })

  it('reads any moment of the chart by pointer, and each change by arrow keys, also where no label has room', async () => {
    const { page } = await visitNineDays()
    // It is below a low window.
    await page.locator('figure canvas').scrollIntoViewIfNeeded()
    const chart = await page.locator('figure canvas').boundingBox()
    if (!chart) throw new Error('No chart')
    await page.mouse.move(chart.x + chart.width / 2, chart.y + 100)
    await page.locator('figure p', { hasText: '$10,400.00' }).waitFor()
    await page.locator('figure p', { hasText: /^5 Mar \d\d:\d\d UTC$/ }).waitFor()
    await page.mouse.move(0, 0)
    await page.locator('figure p').first().waitFor({ state: 'detached' })
    const slider = page.getByRole('slider', { name: 'Read the balance moment by moment' })
    await slider.focus()
    await page.keyboard.press('Home')
    for (let change = 0; change < 4; change += 1) await page.keyboard.press('ArrowRight')
    expect(await slider.getAttribute('aria-valuetext')).toBe('6 Mar 11:00 UTC, $10,000.00, #6 Phase: Phase 2 to Funded')
    await page.locator('figure p', { hasText: '#6 Phase: Phase 2 to Funded' }).waitFor()
  })

  it('draws the chart in the colours of the theme, the system’s or the chosen one', async () => {
    const { page } = await visitNineDays()
    const names = ['accent', 'good', 'bad', 'muted', 'line'] as const
    const coloursNow = () => Promise.all(names.map((name) => colourOf(page, name)))
    const drawnIn = (colours: readonly string[]) =>
      Promise.all(colours.map(async (colour) => (await pixelsIn(page, colour)) > 0))
    const [all, none] = [names.map(() => true), names.map(() => false)]
    const light = await coloursNow()
    await expect.poll(() => drawnIn(light)).toEqual(all)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await coloursNow()
    await expect.poll(() => drawnIn(dark)).toEqual(all)
    expect(await drawnIn(light)).toEqual(none)
    await page.getByRole('button', { name: 'Theme: system. Switch to light' }).click()
    await expect.poll(() => drawnIn(light)).toEqual(all)
    expect(await drawnIn(dark)).toEqual(none)
  })

  it('draws the days of an account, which are UTC, alike in every time zone', async () => {
    const drawings = []
    for (const zone of ['UTC', 'Asia/Tokyo', 'America/St_Johns']) {
      const { page } = await visitNineDays({ zone })
      await page.evaluate(() => document.fonts.ready)
      drawings.push(
        await page
          .locator('figure canvas')
          .evaluate((canvas) => canvas instanceof HTMLCanvasElement && canvas.toDataURL()),
      )
    }
    expect(new Set(drawings).size).toBe(1)
  })

  it('draws what was traded without what was paid out, which the balance lost', async () => {
    const { trader, admin } = await trading({ balance: '10500.00', profitLoss: '500.00', payoutEnabled: true })
    await trader.post('/api/user/payouts', { amount: '400.00', paymentMethod: 'paypal', paymentDetails: 'a@b.example' })
    const [payout] = payoutsOf.parse((await trader.get('/api/user/payouts')).body)
    await admin.patch(`/api/admin/payouts/${payout?.id}`, { status: 'approved', deduct: true })
    const { page, open } = await site.visit({ as: trader })
    await open('/')
    await page.getByRole('img', { name: /^Account balance from .* to \$10,100\.00$/ }).waitFor()
    await page.getByRole('link', { name: 'Profit and loss without them' }).click()
    await page.waitForURL('/?tab=performance')
    await page.getByRole('img', { name: /^Profit and loss from .*: from \$0\.00 to \+\$500\.00$/ }).waitFor()
    await page.getByText('payouts and the balance of a new phase are left out', { exact: false }).waitFor()
  })

  it('keeps its tabs in the URL and history, and masks the master password until requested', async () => {
    const { trader, login } = await sharedAccount()
    const { page, open, expectAccessible } = await site.visit({ as: trader })
    await open('/')
    await page.getByRole('tab', { name: 'Performance' }).click()
    await page.waitForURL('/?tab=performance')
    await page.getByText('Trading is restricted if it is breached.', { exact: false }).waitFor()
    await page.getByText('The account is suspended if it is breached.', { exact: false }).waitFor()
    await page.getByRole('tab', { name: 'Account Details' }).click()
    await page.waitForURL('/?tab=details')
    await page.goBack()
    await page.getByRole('tab', { name: 'Performance', selected: true }).waitFor()
    await open('/?tab=details')
    await page.getByText(login, { exact: true }).waitFor()
    expect(await page.getByText('mt5 secret').count()).toBe(0)
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.getByRole('alertdialog').getByText('mt5 secret', { exact: true }).waitFor()
    await expectAccessible()
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  })

  it('shows local time on demand, keeps what is being typed, and remembers the choice', async () => {
    const { trader } = await sharedAccount()
    const { page, context, open } = await site.visit({ as: trader })
    await (await context.newCDPSession(page)).send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
    await open('/settings')
    const inUtc = page.getByText(/last seen \d+ \w{3} \d\d:\d\d UTC$/)
    const inTokyo = page.getByText(/last seen \d+ \w{3} \d\d:\d\d UTC\+9$/)
    await inUtc.waitFor()
    await page.getByLabel('City').fill('Nagoya')
    await openNavigation(page)
    await page.getByRole('button', { name: 'UTC times. Switch to local time' }).click()
    await inTokyo.waitFor()
    expect(await page.getByLabel('City').inputValue()).toBe('Nagoya')
    await page.reload()
    await inTokyo.waitFor()
    await openNavigation(page)
    await page.getByRole('button', { name: 'Local times. Switch to UTC' }).click()
    await inUtc.waitFor()
  })

  it('says across the page what ended a breached account', async () => {
    const evidence = {
      rule: 'overall-loss',
      limit: '10% / $1000',
      value: '-$1004.00',
      occurredAt: '2026-03-03T14:07:00Z',
    }
    const { trader } = await trading({
      balance: '8996.00',
      profitLoss: '-1004.00',
      status: 'breached',
      reason: 'Lost too much',
      evidence,
    })
    const { page, open, expectGoodLook } = await site.visit({ as: trader })
    await open('/?tab=details')
    const notice = page.getByRole('region', { name: 'This account is breached' })
    await notice
      .getByText('Maximum Loss: -$1,004.00 against the limit 10% / $1,000, on 3 Mar 2026, 14:07:00 UTC.')
      .waitFor()
    await expectGoodLook()
    await page.getByRole('tab', { name: 'Overview' }).click()
    await notice.waitFor()
    expect(await page.getByRole('meter').count()).toBe(0)
  })

  it('reports a failed load after three retries and offers a reload', async () => {
    const trader = await site.portal.trader()
    const { page, allowStatus } = await site.visit({ as: trader })
    allowStatus(500)
    let requests = 0
    await page.route('**/api/user/account', (route) => {
      requests += 1
      return route.fulfill({ status: 500, json: { message: 'Broken' } })
    })
    await page.goto('/')
    await page.getByText('Error Loading Dashboard').waitFor()
    await page.getByText('Failed to load trading account data. Please try again later.').waitFor()
    expect(requests).toBe(4)
    await page.unroute('**/api/user/account')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Account Balance').waitFor()
  })

  it('requests the account once in five minutes', async () => {
    const { trader } = await sharedAccount()
    const { page, open } = await site.visit({ as: trader })
    let requested = 0
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/user/account') requested += 1
    })
    await open('/')
    await page.getByText('Account Balance').waitFor()
    await openNavigation(page)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await openNavigation(page)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByText('Account Balance').waitFor()
    expect(requested).toBe(1)
  })

  it('is accessible and fits in both themes, on desktop and phone', async () => {
    const { trader } = await sharedAccount()
    const { page, open, follow, expectGoodLook, expectNoSidewaysScroll } = await site.visit({ as: trader })
    await open('/')
    for (const [path, sign] of [
      ['/', 'Profit Target'],
      ['/?tab=performance', 'Trading Rules'],
      ['/?tab=details', 'What each status means'],
    ] as const) {
      await follow(path)
      await page.getByRole('heading', { name: sign }).waitFor()
      if (path !== '/?tab=details')
        await page.getByRole('img', { name: /^(Account balance|Profit and loss) from/ }).waitFor()
      await expectGoodLook()
      await expectNoSidewaysScroll(320)
    }
  })
})
