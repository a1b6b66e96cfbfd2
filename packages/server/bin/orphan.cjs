// A child of `runwright start` whose parent was killed cannot write to it. It ends, without the stack of that error.
require('node:cluster').worker?.on('error', () => process.exit(1))
