import { hash, randomBytes } from 'node:crypto'
import { ContentInfo, id_signedData, SignedData } from '@peculiar/asn1-cms'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  id_ct_tstInfo,
  MessageImprint,
  PKIStatus,
  TimeStampReq,
  TimeStampReqVersion,
  TimeStampResp,
  TSTInfo,
} from '@peculiar/asn1-tsp'
import { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import { ownNote } from './tree-checkpoint.ts'

/**
 * Time stamps of tree checkpoints by RFC 3161. A token says that the note, as the log signed it, existed at a time.
 * Whether the authority that says so is one, and signed the token, is for `openssl ts -verify` and the reader's
 * certificates.
 */

const SHA_256 = '2.16.840.1.101.3.4.2.1'

/** A request for the time stamp of a checkpoint, and what its response must repeat. */
export interface TimestampRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly nonce: Buffer
}

/** @param note The checkpoint. Signatures after the log's do not count. */
export function timestampRequest(note: string): TimestampRequest {
  const nonce = randomBytes(9)
  // A positive number of this length.
  nonce[0] = 1
  const messageImprint = new MessageImprint({
    hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA_256, parameters: null }),
    hashedMessage: new OctetString(digestOf(note)),
  })
  const request = new TimeStampReq({
    version: TimeStampReqVersion.v1,
    messageImprint,
    nonce: bytesOf(nonce),
    certReq: true,
  })
  return { bytes: new Uint8Array(AsnConvert.serialize(request)), nonce }
}

/** The token in the response to a request. @throws {Error} when it has none for this checkpoint. */
export function tokenOf(response: Uint8Array, note: string, { nonce }: TimestampRequest): Buffer {
  const { status, timeStampToken } = AsnConvert.parse(bytesOf(response), TimeStampResp)
  if ((status.status !== PKIStatus.granted && status.status !== PKIStatus.grantedWithMods) || !timeStampToken)
    throw new Error(
      `The time-stamping authority refused: status ${status.status} ${status.statusString?.join(' ') ?? ''}`.trim(),
    )
  const token = Buffer.from(AsnConvert.serialize(timeStampToken))
  const info = contentOf(token)
  if (!info.nonce || !Buffer.from(info.nonce).equals(nonce))
    throw new Error('The time-stamp token is of another request')
  timestampedAt(token, note)
  return token
}

/** The time that a token states, ms since 1970. @throws {Error} when it is no token of this checkpoint. */
export function timestampedAt(token: Uint8Array, note: string): number {
  const { messageImprint, genTime } = contentOf(token)
  const isOfNote =
    messageImprint.hashAlgorithm.algorithm === SHA_256 &&
    Buffer.from(messageImprint.hashedMessage.buffer).equals(digestOf(note))
  if (!isOfNote) throw new Error('The time-stamp token is of something else')
  return genTime.getTime()
}

function contentOf(token: Uint8Array): TSTInfo {
  const { contentType, content } = AsnConvert.parse(bytesOf(token), ContentInfo)
  if (contentType !== id_signedData) throw new Error('This is not a time-stamp token')
  const { eContentType, eContent } = AsnConvert.parse(content, SignedData).encapContentInfo
  if (eContentType !== id_ct_tstInfo || !eContent?.single) throw new Error('This is not a time-stamp token')
  return AsnConvert.parse(eContent.single.buffer, TSTInfo)
}

function digestOf(note: string): Buffer {
  return Buffer.from(hash('sha256', ownNote(note)), 'hex')
}

function bytesOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
