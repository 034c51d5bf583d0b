import { describe, expect, it } from 'vitest'
import { parseS3Location } from './s3-address.ts'

describe('the address of a bucket', () => {
  it('holds server, bucket, region and percent-encoded credentials', () => {
    const place = parseS3Location('https://key%2F1:a%2Bb%3D%40@s3.example.com:9000/proofdesk-files?region=eu-central-1')
    expect(place).toEqual({
      server: new URL('https://s3.example.com:9000'),
      accessKey: 'key/1',
      secretKey: 'a+b=@',
      bucket: 'proofdesk-files',
      region: 'eu-central-1',
    })
    expect(parseS3Location('http://k:s@127.0.0.1:9000/files/')).toMatchObject({ bucket: 'files', region: 'us-east-1' })
  })

  it.each([
    'localhost:9000/files',
    'ftp://key:hidden@host/files',
    'http://host/files',
    'http://key@host/files',
    'http://key:hidden@host',
    'http://key:hidden@host/',
    'http://key:hidden@host/a/b',
    'http://key:hidden@host/Files',
    'http://key:hidden@host/files?regin=x',
    'http://key:hidden@host/files?region=',
    'http://key:%zz@host/files',
    'http://key:hidden@host/files#x',
  ])('is refused without repeating it: %s', (address) => {
    const refusal = (() => {
      try {
        return String(parseS3Location(address))
      } catch (error) {
        return error
      }
    })()
    expect(refusal).toBeInstanceOf(TypeError)
    expect(String(refusal)).not.toContain('hidden')
  })
})
