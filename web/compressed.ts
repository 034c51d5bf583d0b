import { constants } from 'node:zlib'
import type { Plugin } from 'vite'
import { compression, defineAlgorithm } from 'vite-plugin-compression2'

/** Compresses the files of a build once, at the highest level, so that no start and no request has to. */
export function compressed(): Plugin {
  return compression({
    include: /\.(js|css|svg|html|txt)$/,
    threshold: 0,
    algorithms: [
      defineAlgorithm('brotliCompress', { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
      defineAlgorithm('gzip', { level: 9 }),
    ],
  })
}
