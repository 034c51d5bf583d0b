/** A bucket and its credentials. */
export interface S3Location {
  readonly server: URL
  readonly accessKey: string
  readonly secretKey: string
  readonly bucket: string
  readonly region: string
}

/** The default region of S3 servers. */
const REGION = 'us-east-1'

/** Bucket names that every S3 accepts: lower case, because they may become part of a host name. */
const BUCKET = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/

/**
 * The bucket and the credentials that an address holds: `https://key:secret@host:port/bucket?region=eu-central-1`, both
 * percent-encoded.
 *
 * @throws {TypeError} saying what is wrong with it, without repeating any of it.
 */
export function parseS3Location(address: string): S3Location {
  const server = parseUrl(address)
  const [accessKey, secretKey] = [decode(server.username), decode(server.password)]
  if (accessKey === '' || secretKey === '')
    throw new TypeError('must hold an access key and its secret, each percent-encoded')
  const [, bucket] = BUCKET.exec(server.pathname) ?? []
  if (bucket === undefined) throw new TypeError('must name one bucket after the host, and nothing below it')
  for (const name of server.searchParams.keys())
    if (name !== 'region') throw new TypeError('may have no parameter but region')
  const region = server.searchParams.get('region') ?? REGION
  if (!/^[a-z0-9-]+$/.test(region)) throw new TypeError('must have a region like eu-central-1')
  return { server: new URL(server.origin), accessKey, secretKey, bucket, region }
}

function parseUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.hash !== '')
    throw new TypeError('must be an address like https://key:secret@host:9000/bucket?region=us-east-1')
  return url
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('must hold an access key and its secret, each percent-encoded')
  }
}
