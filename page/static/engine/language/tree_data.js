// Written by docs/write_files.py
export default [
  ["SystemText", 9, (row, at) => ({ type: "SystemText", title: row[1], prose: row[2], defines: new Map(row[3].map(([name, one]) => [name, at(one)])), blocks: row[4].map((one) => at(one)), options: new Map(row[5]), files: row[6], opponents: row[7], optionWords: new Map(row[8].map(([name, one]) => [name, at(one)])), chosen: new Map(row[9]) })],
  ["Define", 4, (row, at) => ({ type: "Define", name: row[1], suits: row[2], condition: at(row[3]), where: at(row[4]) })],
  ["Phrase", 9, (row, at) => ({ type: "Phrase", kind: row[1], range: at(row[2]), suits: row[3], count: row[4], of: row[5], who: row[6], call: at(row[7]), text: row[8], where: at(row[9]) })],
  ["Range", 3, (row, at) => ({ type: "Range", low: row[1], high: row[2], also: row[3] })],
  ["CallPattern", 4, (row, at) => ({ type: "CallPattern", kind: row[1], level: row[2], strain: row[3], where: at(row[4]) })],
  ["Where", 3, (row, at) => ({ type: "Where", file: row[1], line: row[2], column: row[3] })],
  ["AllOf", 1, (row, at) => ({ type: "AllOf", parts: row[1].map((one) => at(one)) })],
  ["AnyOf", 1, (row, at) => ({ type: "AnyOf", parts: row[1].map((one) => at(one)) })],
  ["NotThis", 1, (row, at) => ({ type: "NotThis", part: at(row[1]) })],
  ["Block", 3, (row, at) => ({ type: "Block", header: at(row[1]), body: row[2].map((one) => at(one)), remark: row[3] })],
  ["Header", 4, (row, at) => ({ type: "Header", kind: row[1], auctions: row[2].map((one) => one.map((one) => at(one))), condition: at(row[3]), where: at(row[4]) })],
  ["AuctionStep", 3, (row, at) => ({ type: "AuctionStep", calls: row[1].map((one) => at(one)), theirs: row[2], anyCalls: row[3] })],
  ["Line", 9, (row, at) => ({ type: "Line", call: at(row[1]), name: row[2], condition: at(row[3]), quoted: row[4], agreements: row[5].map((one) => at(one)), variants: row[6].map((one) => at(one)), below: row[7].map((one) => at(one)), remark: row[8], where: at(row[9]) })],
  ["Agreement", 6, (row, at) => ({ type: "Agreement", kind: row[1], text: row[2], call: at(row[3]), suit: row[4], condition: at(row[5]), where: at(row[6]) })],
  ["Variant", 6, (row, at) => ({ type: "Variant", name: row[1], condition: at(row[2]), quoted: row[3], remark: row[4], agreements: row[5].map((one) => at(one)), where: at(row[6]) })],
  ["OptionWords", 4, (row, at) => ({ type: "OptionWords", title: row[1], about: row[2], within: new Map(row[3]), where: at(row[4]) })],
];
