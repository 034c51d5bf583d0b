import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { images, imagesIn } from './images.ts'

/** What can be known of tests in containers where there are none. */
describe('tests in containers', () => {
  it('use the named images, and none by default', () => {
    expect(imagesIn()).toEqual([])
    expect(imagesIn('')).toEqual([])
    expect(imagesIn('redis,mongodb-replica-set')).toEqual(['redis', 'mongodb-replica-set'])
  })

  it('refuse an unknown image, which would leave something untested', () => {
    expect(() => imagesIn('redis,mongo')).toThrow(/PROOFDESK_TEST_CONTAINERS: mongo is none of eventstore, mongodb, /)
  })

  it('use the images of the deployment files at fixed versions', () => {
    const compose = readFileSync(new URL('../../infra/deploy/compose.yaml', import.meta.url), 'utf8')
    const deployed = [...compose.matchAll(/^ +image: (\S+)$/gm)].map(([, image]) => image)
    for (const image of Object.values(images)) {
      expect(image).toMatch(/:[^:]*\d/)
      // An S3 server beside the one in the compose file.
      if (!image.startsWith('minio/')) expect(deployed).toContain(image)
    }
  })

  it.skipIf(existsSync('/var/run/docker.sock'))('do not count as passed where Docker is not available', { timeout: 60_000 }, async () => {
    const script = fileURLToPath(new URL('../every-container.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect(said).toMatch(/^(Docker is not available: |Containers need Node\.js )/)
    expect(said).toContain('Nothing was tested.')
    expect(code).toBe(1)
  })
})
