import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { version } from 'react-dom'
import { expect, it } from 'vitest'
import { describeSite } from './kit.ts'

const assets = fileURLToPath(new URL('../../dist/web/assets/', import.meta.url))

describeSite('the built app', (site) => {
  it('contains the renderer of react-dom, in the installed version', async () => {
    const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'))
    const code = await Promise.all(scripts.map((name) => readFile(assets + name, 'utf8')))
    // What react-dom reports about itself to developer tools.
    const renderers = code.flatMap((text) => [...text.matchAll(/version:(\S{3,12}),rendererPackageName:(\S[\w-]+\S)/g)])
    expect(renderers.map(([, ...texts]) => texts.map((text) => text.slice(1, -1)))).toEqual([[version, 'react-dom']])
  })

  it('is rendered by it', async () => {
    const { page, open } = await site.visit()
    await open('/auth')
    await page.getByRole('heading').first().waitFor()
    const marks = await page
      .locator('#root')
      .evaluate((root) => Object.keys(root).map((name) => name.replace(/\$.*/, '')))
    expect(marks).toContain('__reactContainer')
  })
})
