"""Rules for wallet keys."""

from hermes_guard.paths.rule import BOTH, PathRule

_MORE = (
    "~/.zcash/**", "~/.dashcore/**", "~/.local/share/bisq*/**", "~/.sparrow/**", "~/.walletwasabi/**",
    "~/.electron-cash/**", "~/.electrum-*/**", "~/.config/trezor*/**", "~/.config/@trezor/**",
    "~/.local/share/daedalus/**", "~/.config/daedalus*/**", "~/.cardano/**", "~/.local/share/polkadot/**",
    "~/.config/polkadot*/**", "~/.substrate/**", "~/.gaia/**", "~/.osmosisd/**", "~/.avalanchego/**",
    "~/.avalanche-cli/**", "~/.tezos-client/**", "~/.octez-client/**", "~/.config/stellar/**", "~/.stellar/**",
    "~/.config/soroban/**", "~/.bitmonero/**", "~/.shared-ringdb/**", "~/.clightning/**", "~/.eclair/**",
    "~/.phoenix/**", "~/.chia/**", "~/.chia_keys/**", "~/.brownie/accounts/**", "~/.ape/accounts/**",
    "~/.ape/**/accounts/**", "~/.starknet_accounts/**", "~/.starkli*/**", "~/.nearkeys/**", "~/.algorand/**",
    "~/.hedera/**", "~/.lotus/**", "~/.local/share/io.parity.ethereum/**", "~/.openethereum/**", "~/.lighthouse/**",
    "~/.eth2*/**", "~/.nym/**", "~/.ironfish/**", "~/.coinomi/**", "~/.config/coinomi/**", "~/.multibit*/**",
    "~/.armory/**", "~/.joinmarket/**", "~/.specter/**", "~/.config/feather/**", "~/.config/featherwallet/**",
    "~/.config/frame/**", "~/.config/guarda*/**", "~/.config/mycrypto/**", "~/.config/myetherwallet/**",
    "~/.config/electrum/**", "~/.config/zecwallet*/**", "~/.config/solflare/**", "~/.config/wasabi*/**",
    "~/.config/blockstream/**", "~/.blockstream/**", "~/.config/green/**", "~/.config/bitbox*/**",
    "~/.config/ledger*/**", "~/.config/keystone*/**", "~/.config/bitcoin/**", "~/.config/litecoin/**",
    "~/.config/dogecoin/**", "~/.config/ethereum/**", "~/.config/electrum*/**", "~/.bitcoin-*/**", "~/.namecoin/**",
    "~/.peercoin/**", "~/.vertcoin/**", "~/.ravencoin/**", "~/.digibyte/**", "~/.pivx/**", "~/.raptoreumcore/**",
    "~/.iota*/**", "~/.config/iota*/**", "~/.fuel/**", "~/.forc/accounts/**", "~/.aleo/**", "~/.mina-config/**",
    "~/.config/anoma/**", "~/.namada/**", "~/.config/dfx/identity/**", "~/.flow/**", "~/.ethereum-keystore/**",
    "~/.erigon/keystore/**", "~/.local/share/monero*/**", "~/monero/**", "~/.monero*/**", "**/keyring-file/*.info",
    "**/keyring-file/*.address", "**/validator_keys/keystore-*", "**/priv_validator_key.json", "**/mnemonic.txt",
    "**/seed-phrase*", "**/seed_phrase*", "**/recovery-phrase*", "**/recovery_phrase*", "**/*.mnemonic",
    "**/electrum.dat", "**/multisig.dat",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.wallet",
        ops=BOTH,
        severity="ask",
        reason="It holds the keys of a wallet.",
        effects=frozenset({"spend"}),
        patterns=(
            *_MORE, "**/wallet.dat", "~/.bitcoin/**", "~/.litecoin/**", "~/.dogecoin/**", "~/.ethereum/**",
            "~/library/ethereum/**", "~/.electrum/**", "~/.config/solana/**", "~/.monero/**", "~/monero/wallets/**",
            "~/.config/exodus/**", "~/.config/ledger live/**", "~/.config/atomic/**",
            "~/library/application support/bitcoin/**", "~/library/application support/exodus/**", "~/.lnd/**",
            "~/.sui/**", "~/.aptos/**", "~/.near-credentials/**", "~/.foundry/keystores/**", "**/utc--*",
        ),
        match=(
            "~/.bitcoin/wallet.dat", "~/.electrum/wallets/default", "~/.config/solana/id.json", "backup/wallet.dat",
            "~/.sparrow/wallets/a.mv.db", "~/.config/@trezor/suite-desktop/x", "~/.chia/mainnet/config/ssl/x",
            "notes/seed-phrase.txt", "~/Library/Application Support/Exodus/x",
        ),
    ),
)  # fmt: skip
