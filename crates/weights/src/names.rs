//! The names of Hugging Face's files for the names that this program uses.

use crate::config::Family;

/// The name in a file of Hugging Face, with the prefix `model.`. Moonshine's are the same; nothing for a name that
/// Whisper does not have.
pub(crate) fn hugging_face_name(family: Family, name: &str) -> Option<String> {
    match family {
        Family::Moonshine => Some(name.to_owned()),
        Family::Whisper => whisper_name(name),
    }
}

fn whisper_name(name: &str) -> Option<String> {
    let (side, rest) = name.split_once('.')?;
    let renamed = match rest {
        "positional_embedding" => "embed_positions.weight".to_owned(),
        "token_embedding.weight" => "embed_tokens.weight".to_owned(),
        _ => {
            let (module, part) = rest.rsplit_once('.')?;
            format!("{}.{part}", whisper_module(module)?)
        }
    };
    Some(format!("model.{side}.{renamed}"))
}

fn whisper_module(module: &str) -> Option<String> {
    let Some(block) = module.strip_prefix("blocks.") else {
        return match module {
            "conv1" | "conv2" => Some(module.to_owned()),
            "ln_post" | "ln" => Some("layer_norm".to_owned()),
            _ => None,
        };
    };
    let (layer, module) = block.split_once('.')?;
    let module = match module {
        "attn.query" => "self_attn.q_proj",
        "attn.key" => "self_attn.k_proj",
        "attn.value" => "self_attn.v_proj",
        "attn.out" => "self_attn.out_proj",
        "attn_ln" => "self_attn_layer_norm",
        "cross_attn.query" => "encoder_attn.q_proj",
        "cross_attn.key" => "encoder_attn.k_proj",
        "cross_attn.value" => "encoder_attn.v_proj",
        "cross_attn.out" => "encoder_attn.out_proj",
        "cross_attn_ln" => "encoder_attn_layer_norm",
        "mlp.0" => "fc1",
        "mlp.2" => "fc2",
        "mlp_ln" => "final_layer_norm",
        _ => return None,
    };
    Some(format!("layers.{layer}.{module}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whisper_names_become_those_of_hugging_face() {
        let name = |name: &str| hugging_face_name(Family::Whisper, name);
        for (ours, theirs) in [
            ("encoder.conv1.weight", "model.encoder.conv1.weight"),
            ("encoder.positional_embedding", "model.encoder.embed_positions.weight"),
            ("encoder.ln_post.bias", "model.encoder.layer_norm.bias"),
            ("encoder.blocks.11.attn.query.weight", "model.encoder.layers.11.self_attn.q_proj.weight"),
            ("encoder.blocks.0.mlp_ln.weight", "model.encoder.layers.0.final_layer_norm.weight"),
            ("decoder.token_embedding.weight", "model.decoder.embed_tokens.weight"),
            ("decoder.ln.weight", "model.decoder.layer_norm.weight"),
            ("decoder.blocks.3.cross_attn.out.bias", "model.decoder.layers.3.encoder_attn.out_proj.bias"),
            ("decoder.blocks.3.cross_attn_ln.bias", "model.decoder.layers.3.encoder_attn_layer_norm.bias"),
            ("decoder.blocks.3.mlp.2.weight", "model.decoder.layers.3.fc2.weight"),
        ] {
            assert_eq!(name(ours).as_deref(), Some(theirs));
        }
        for unknown in ["encoder", "encoder.blocks.0.attn.weight", "encoder.conv9.weight", "encoder.blocks.0"]
        {
            assert_eq!(name(unknown), None, "{unknown}");
        }
    }
}
